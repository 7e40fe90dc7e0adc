import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { scanOverlap, secretsIn } from '../../../../src/core/keys/leak-scan.ts';
import { drawSecret } from '../../../../src/core/secrets.ts';
import { until } from '../../../e2e/program.ts';
import { runProgram, startProgram } from '../../../run-program.ts';
import { Cli, type KeyJson } from '../../harness.ts';
import { press } from '../../keyboard.ts';

interface ScanJson {
  findings: {
    path: string;
    line: number;
    column: number;
    prefix: string;
    count: number;
    key: KeyJson | null;
  }[];
  occurrences: number;
  unlisted: number;
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
    expect(report.findings).toContainEqual({
      path: a,
      line: 2,
      column: 5,
      prefix: secret.slice(0, 8),
      count: 1,
      key,
    });
    const ofStranger = {
      path: b,
      line: 1,
      column: 3003,
      prefix: stranger.slice(0, 8),
      count: 1,
      key: null,
    };
    expect(report.findings).toContainEqual(ofStranger);
    expect((await cli.run(['keys', 'scan', b])).stdout).toBe(
      `${b}:1:3003: ${stranger.slice(0, 8)}… no key of your organization\n`,
    );
  });

  it('reads a pipe once, from beginning to end, and finds what is in it', async () => {
    const { key, secret } = await cli.key('A');
    const source = put('source', `${'x'.repeat(2_000_000)}\n${'y'.repeat(999)}\n  ${secret}\n`);
    const pipe = join(folder, 'pipe');
    expect(runProgram('mkfifo', [pipe]).code).toBe(0);
    const writer = startProgram('sh', ['-c', 'cat "$0" > "$1"', source, pipe], {});
    const { code, report } = await scan(pipe);
    expect(code).toBe(5);
    expect(report.findings).toEqual([
      { path: pipe, line: 3, column: 3, prefix: secret.slice(0, 8), count: 1, key },
    ]);
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
    const { code, stdout } = await cli.run('keys scan - --json', {
      input: `one\ntwo ${secret} three ${secret}`,
    });
    expect(code).toBe(5);
    const { findings, occurrences }: ScanJson = JSON.parse(stdout);
    expect(findings).toMatchObject([{ path: '-', line: 2, column: 5, count: 2 }]);
    expect(occurrences).toBe(2);
  });

  it('lists a secret once for each file, with its first place and how often it occurs', async () => {
    const { key, secret } = await cli.key('A');
    const stranger = drawSecret();
    const text = `one\n  ${secret}\n${stranger} ${secret}\n${'.'.repeat(3 << 20)}\n${secret}\n ${drawSecret()}`;
    const [a, b] = [put('a', text), put('b', secret)];
    const { report } = await scan(a, b);
    expect(report.findings).toMatchObject([
      { path: a, line: 2, column: 3, count: 3, key },
      { path: a, line: 3, column: 1, count: 1, key: null },
      { path: a, line: 6, column: 2, count: 1, key: null },
      { path: b, line: 1, column: 1, count: 1, key },
    ]);
    expect([report.occurrences, report.unlisted]).toEqual([6, 0]);
    const { stdout } = await cli.run(['keys', 'scan', a]);
    expect(stdout).toContain(`${a}:2:3: ${secret.slice(0, 8)}… Active: A (3 times in this file)\n`);
  });

  it('lists every key, however many secrets of nobody stand before it', async () => {
    const { key, secret } = await cli.key('A');
    const strangers = Array.from({ length: 10_050 }, () => drawSecret());
    put('a', `${strangers.join('\n')}\n${secret}\n`);
    const { report } = await scan(folder);
    expect(report.findings).toHaveLength(10_001);
    expect(report.findings.at(-1)).toMatchObject({ line: 10_051, key });
    expect([report.occurrences, report.unlisted]).toEqual([10_051, 50]);
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

  it('names what is compressed, since it is searched as it is', async () => {
    const { secret } = await cli.key('A');
    const file = put('log.gz', gzipSync(`leaked ${secret}`));
    const { code, report } = await scan(folder);
    expect(code).toBe(0);
    expect(report.skipped).toEqual([{ path: file, reason: 'is compressed, not unpacked' }]);
    const { stderr } = await cli.run(['keys', 'scan', folder]);
    expect(stderr).toContain(`not unpacked: 1 compressed file, such as ${file}.`);
  });

  it('revokes the active ones, after a question or with --yes', async () => {
    const [a, b] = [await cli.key('A'), await cli.key('B')];
    await cli.ok(['keys', 'revoke', b.key.id, '--yes']);
    put('x', `${a.secret}\n${b.secret}\n${a.secret}`);
    expect((await cli.run(['keys', 'scan', folder, '--revoke'])).code).toBe(2);
    expect((await cli.show(a.key.id)).status).toBe('Active');
    const { code, report } = await scan(folder, '--revoke', '--yes');
    expect(code).toBe(5);
    expect(report.findings.map(({ key, count }) => [key?.status, count])).toEqual([
      ['Revoked', 2],
      ['Revoked', 1],
    ]);
    expect((await cli.show(a.key.id)).status).toBe('Revoked');
  });

  it('revokes a key at its first occurrence, while the scan goes on', async () => {
    const [a, b] = [await cli.key('A'), await cli.key('B')];
    const pipe = join(folder, 'pipe');
    expect(runProgram('mkfifo', [pipe]).code).toBe(0);
    const input = new PassThrough();
    const scanning = cli.run('keys scan - --revoke --yes --json', { input });
    input.write(`${a.secret}\n`);
    await until(
      'the first key is revoked',
      async () => (await cli.show(a.key.id)).status === 'Revoked',
    );
    expect((await cli.show(b.key.id)).status).toBe('Active');
    input.end(b.secret);
    expect((await scanning).code).toBe(5);
    expect((await cli.show(b.key.id)).status).toBe('Revoked');
  });

  it('goes on where another process has ended a key that it found', async () => {
    const [a, b] = [await cli.key('A'), await cli.key('B')];
    put('x', `${a.secret}\n${b.secret}`);
    const meanwhile = () => cli.ok(['keys', 'revoke', a.key.id, '--yes']);
    const { code, stderr } = await cli.run(['keys', 'scan', folder, '--revoke'], {
      terminal: { columns: 200, rows: 30 },
      keys: [
        { on: 'API key: A', type: press.down, meanwhile },
        press.enter,
        { on: 'API key: B', type: press.down },
        press.enter,
      ],
    });
    expect(code).toBe(5);
    expect(stripVTControlCharacters(stderr)).toMatch(/API key revoked: B/);
    expect(stderr).not.toContain('API key revoked: A');
  });

  it('asks for --yes before it reads anything', async () => {
    const { key, secret } = await cli.key('A');
    put('x', secret);
    const { code, stdout, stderr } = await cli.run(['keys', 'scan', folder, '--revoke']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--yes');
    expect((await cli.show(key.id)).status).toBe('Active');
  });

  it('works where there is no store, and prints the rule for other scanners', async () => {
    put('x', drawSecret());
    const elsewhere = new Cli();
    const found = await elsewhere.run(['keys', 'scan', folder]);
    expect([found.code, found.stdout]).toEqual([
      5,
      expect.stringContaining('… unknown, without a store\n'),
    ]);
    expect((await elsewhere.run(['keys', 'scan', folder, '--revoke', '--yes'])).code).toBe(6);
    expect((await elsewhere.ok('keys scan --gitleaks')).stdout).toMatch(/^regex = /m);
  });

  it('finds every secret in any bytes, in any form, however they are cut', () => {
    const noise = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    const text = fc
      .constantFrom('hk_', 'k_', 'h', 'hk_hk_', 'aGtf', 'hrX', 'x'.repeat(60), '\0'.repeat(9))
      .map((part) => Buffer.from(part));
    const part = fc.tuple(fc.oneof(noise, text), fc.array(fc.constantFrom(...forms)));
    fc.assert(
      fc.property(fc.array(part), fc.integer({ min: 1, max: 300 }), (parts, pieceLength) => {
        const wanted: string[] = [];
        const bytes = Buffer.concat(
          parts.flatMap(([before, secretForms]) => {
            const drawn = secretForms.map((toForm) => ({ secret: drawSecret(), toForm }));
            wanted.push(...drawn.map(({ secret }) => secret));
            // A byte between them, so that the characters of base64 do not run on.
            return [before, ...drawn.flatMap(({ secret, toForm }) => [comma, toForm(secret)])];
          }),
        );
        const found: string[] = [];
        for (let start = 0; start < bytes.length; start += pieceLength) {
          const from = Math.max(0, start - scanOverlap);
          const view = bytes.subarray(from, Math.min(bytes.length, start + pieceLength));
          found.push(...secretsIn(view, start - from).map(({ secret }) => secret));
        }
        expect(found.sort()).toEqual(wanted.sort());
      }),
    );
  });

  it('finds a secret in files of Windows and in base64, with its line, and revokes its key', async () => {
    for (const [index, toForm] of forms.entries()) {
      const { key, secret } = await cli.key(`Form ${index}`);
      const path = put(`form-${index}`, Buffer.concat([Buffer.from('first\n'), toForm(secret)]));
      const { code, report } = await scan(path, '--revoke', '--yes');
      expect(code).toBe(5);
      expect(report.findings).toMatchObject([{ line: 2, count: 1, key: { id: key.id } }]);
      expect((await cli.show(key.id)).status).toBe('Revoked');
    }
  });

  it('finds a secret in base64 at the edge of a piece of a stream once', async () => {
    const { secret } = await cli.key('A');
    const encoded = Buffer.from(Buffer.from(`user:${secret}\n`).toString('base64'), 'utf16le');
    for (const cut of [1, 20, 75, encoded.length - 1]) {
      const input = new PassThrough();
      const scanning = cli.run('keys scan - --json', { input });
      input.write(encoded.subarray(0, cut));
      await new Promise((written) => setImmediate(written));
      input.end(encoded.subarray(cut));
      expect(JSON.parse((await scanning).stdout)).toMatchObject({
        findings: [{ prefix: secret.slice(0, 8), count: 1 }],
        occurrences: 1,
      });
    }
  });

  it('prints a rule that no longer word and no made-up example matches', async () => {
    const { stdout } = await cli.ok('keys scan --gitleaks');
    const rule = new RegExp(/^regex = '''(.*)'''$/m.exec(stdout)?.[1] ?? '');
    const leastEntropy = Number(/^entropy = (.*)$/m.exec(stdout)?.[1]);
    for (let i = 0; i < 10_000; i++) {
      const secret = drawSecret();
      if (!rule.test(`key=${secret}"`) || entropyOf(secret) < leastEntropy + 0.2) {
        throw new Error(`The rule misses ${secret}`);
      }
      if (i < 100) {
        expect(rule.test(`${secret}0`)).toBe(false);
        expect(rule.test(`x${secret}`)).toBe(false);
      }
    }
    expect(entropyOf(`hk_${'x'.repeat(49)}`)).toBeLessThan(leastEntropy);
    expect(entropyOf(`hk_${'0123456789'.repeat(5).slice(0, 49)}`)).toBeLessThan(leastEntropy);
  });
});

const comma = Buffer.from(',');

/** The bytes of a text as UTF-16 and UTF-32 of either byte order. */
const wide = (text: string, width: number, isBigEndian: boolean): Buffer =>
  Buffer.concat(
    [...text].map((character) => {
      const padding = Buffer.alloc(width - 1);
      const letter = Buffer.from(character);
      return Buffer.concat(isBigEndian ? [padding, letter] : [letter, padding]);
    }),
  );

const inBase64 = (text: string): Buffer => Buffer.from(Buffer.from(text).toString('base64'));

/** The forms in which a secret gets into a file. */
const forms: readonly ((secret: string) => Buffer)[] = [
  (secret) => Buffer.from(secret),
  (secret) => wide(secret, 2, false),
  (secret) => wide(secret, 2, true),
  (secret) => Buffer.concat([Buffer.from([0xff, 0xfe]), wide(`key=${secret}\r\n`, 2, false)]),
  (secret) => Buffer.concat([Buffer.from([0xfe, 0xff]), wide(`key=${secret}\r\n`, 2, true)]),
  (secret) => wide(secret, 4, false),
  (secret) => wide(secret, 4, true),
  ...['', 'a', 'ab', 'user:'].flatMap((before) =>
    ['', '\n', '\r\n'].flatMap((after) => [
      (secret: string) => inBase64(`${before}${secret}${after}`),
      (secret: string) => wide(inBase64(`${before}${secret}${after}`).toString(), 2, false),
      (secret: string) => wide(inBase64(`${before}${secret}${after}`).toString(), 2, true),
    ]),
  ),
  (secret) => Buffer.from(Buffer.from(`\x7f\x7f${secret}\x7f\x7f`).toString('base64url')),
];

/** Shannon's entropy of the characters of a text, in bits, as gitleaks computes it. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => {
    const share = count / text.length;
    return bits - share * Math.log2(share);
  }, 0);
}
