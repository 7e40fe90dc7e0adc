import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { scanOverlap, secretsIn } from '../../../../src/core/keys/leak-scan.ts';
import { drawSecret } from '../../../../src/core/keys/secrets.ts';
import { Cli, type KeyJson } from '../../harness.ts';

interface ScanJson {
  findings: { path: string; line: number; column: number; prefix: string; key: KeyJson | null }[];
  skipped: { path: string; reason: string }[];
  files: number;
}

let cli: Cli;
let folder: string;
beforeEach(async () => {
  cli = await new Cli().seed();
  folder = mkdtempSync(join(tmpdir(), 'hkctl-scan-'));
});

function put(path: string, content: string | Buffer): string {
  const full = join(folder, path);
  mkdirSync(join(full, '..'), { recursive: true });
  writeFileSync(full, content);
  return full;
}

async function scan(...args: string[]): Promise<{ code: number; report: ScanJson }> {
  const { code, stdout } = await cli.run(['keys', 'scan', ...args, '--json']);
  return { code, report: JSON.parse(stdout) };
}

describe('keys scan', () => {
  it('finds secrets anywhere in a tree, with line and column, and whose they are', async () => {
    const { key, secret } = await cli.key('A');
    const stranger = drawSecret();
    const a = put('a/.env', `X=1\nKEY=${secret}\n`);
    const b = put(
      'b/deep/er/core.dump',
      Buffer.concat([Buffer.alloc(3000, 0), Buffer.from(`xx${stranger}yy`), Buffer.alloc(9)]),
    );
    const { code, report } = await scan(folder);
    expect(code).toBe(5);
    expect(report.findings).toHaveLength(2);
    expect(report.findings).toContainEqual({ path: a, line: 2, column: 5, prefix: secret.slice(0, 8), key });
    expect(report.findings).toContainEqual({ path: b, line: 1, column: 3003, prefix: stranger.slice(0, 8), key: null });
    expect((await cli.run(['keys', 'scan', b])).stdout).toBe(
      `${b}:1:3003: ${stranger.slice(0, 8)}… no key of your organization\n`,
    );
  });

  it('reads a pipe once, from beginning to end, and finds what is in it', async () => {
    const { key, secret } = await cli.key('A');
    const source = put('source', `${'x'.repeat(2_000_000)}\n${'y'.repeat(999)}\n  ${secret}\n`);
    const pipe = join(folder, 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const writer = spawn('sh', ['-c', 'cat "$0" > "$1"', source, pipe]);
    const { code, report } = await scan(pipe);
    expect(code).toBe(5);
    expect(report.findings).toEqual([{ path: pipe, line: 3, column: 3, prefix: secret.slice(0, 8), key }]);
    writer.kill();
  });

  it('shows names of files without what would play tricks on a terminal', async () => {
    put('a\u001b]0;title\u0007b', drawSecret());
    const { stdout, stderr } = await cli.run(['keys', 'scan', folder]);
    expect(stdout).toContain('a\\u001b]0;title\\u0007b:1:1');
    expect(stdout + stderr).not.toContain('\u001b]0;');
  });

  it('never prints a secret', async () => {
    const { secret } = await cli.key('A');
    put('x', secret);
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await cli.run(['keys', 'scan', folder, ...more]);
      expect(stdout + stderr).not.toContain(secret.slice(0, 10));
    }
  });

  it('is not deceived by what only looks like one', async () => {
    const { secret } = await cli.key('A');
    const wrong = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');
    put('x', [wrong, secret.slice(0, 51), `hk_${'a'.repeat(49)}`, 'hk_', 'task_k_hk_'].join('\n'));
    const { code, report } = await scan(folder);
    expect([code, report.findings]).toEqual([0, []]);
  });

  it('finds one that lies across the edge of a piece', async () => {
    const { secret } = await cli.key('A');
    for (const at of [(1 << 20) - 51, (1 << 20) - 1, 1 << 20, (1 << 20) - 26]) {
      put('x', `${'.'.repeat(at)}${secret}${'.'.repeat(99)}`);
      const { report } = await scan(folder);
      expect(report.findings.map(({ column }) => column)).toEqual([at + 1]);
    }
  });

  it('reads standard input', async () => {
    const { secret } = await cli.key('A');
    const { code, stdout } = await cli.run('keys scan - --json', { input: `one\ntwo ${secret} three ${secret}` });
    expect(code).toBe(5);
    expect(
      JSON.parse(stdout).findings.map(({ line, column }: { line: number; column: number }) => [line, column]),
    ).toEqual([
      [2, 5],
      [2, 64],
    ]);
  });

  it('reports what it skipped: links, what is missing, what may not be read', async () => {
    put('x', 'nothing');
    symlinkSync('/etc', join(folder, 'link'));
    const { code, report } = await scan(folder, join(folder, 'missing'));
    expect(code).toBe(1);
    expect(report.skipped).toEqual([
      { path: join(folder, 'link'), reason: 'is a link, not followed' },
      { path: join(folder, 'missing'), reason: 'does not exist' },
    ]);
  });

  it('revokes the active ones, after a question or with --yes', async () => {
    const [a, b] = [await cli.key('A'), await cli.key('B')];
    await cli.ok(['keys', 'revoke', b.key.id, '--yes']);
    put('x', `${a.secret}\n${b.secret}\n${a.secret}`);
    expect((await cli.run(['keys', 'scan', folder, '--revoke'])).code).toBe(2);
    expect((await cli.show(a.key.id)).status).toBe('Active');
    const { code, report } = await scan(folder, '--revoke', '--yes');
    expect(code).toBe(5);
    expect(report.findings.map(({ key }) => key?.status)).toEqual(['Revoked', 'Revoked', 'Revoked']);
    expect((await cli.show(a.key.id)).status).toBe('Revoked');
  });

  it('works where there is no store, and prints the rule for other scanners', async () => {
    put('x', drawSecret());
    const elsewhere = new Cli();
    const found = await elsewhere.run(['keys', 'scan', folder]);
    expect([found.code, found.stdout]).toEqual([5, expect.stringContaining('… unknown, without a store\n')]);
    expect((await elsewhere.run(['keys', 'scan', folder, '--revoke', '--yes'])).code).toBe(6);
    const { stdout } = await elsewhere.ok('keys scan --gitleaks');
    const pattern = /regex = '''(.*)'''/.exec(stdout)?.[1] ?? '';
    expect(new RegExp(pattern).test(drawSecret())).toBe(true);
  });

  it('finds every secret in any bytes, however they are cut', () => {
    const noise = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    const text = fc.constantFrom('hk_', 'k_', 'h', 'hk_hk_', 'x'.repeat(60)).map((part) => Buffer.from(part));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.oneof(noise, text), fc.nat(2))), (parts) => {
        const wanted: string[] = [];
        const bytes = Buffer.concat(
          parts.flatMap(([part, secrets]) => {
            const drawn = Array.from({ length: secrets }, () => drawSecret());
            wanted.push(...drawn);
            return [part, ...drawn.map((secret) => Buffer.from(secret))];
          }),
        );
        const found: string[] = [];
        const piece = 97;
        for (let at = 0; at < bytes.length; at += piece) {
          const from = Math.max(0, at - scanOverlap);
          const view = bytes.subarray(from, Math.min(bytes.length, at + piece));
          found.push(...secretsIn(view, view.length).map(({ secret }) => secret));
        }
        expect(found).toEqual(wanted);
      }),
    );
  });
});
