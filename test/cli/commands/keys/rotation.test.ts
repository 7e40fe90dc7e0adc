import { EventEmitter } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runAfterRotation } from '../../../../src/cli/commands/keys/rotate/pending-step.ts';
import { createSignals } from '../../../../src/cli/terminal/signals.ts';
import { drawSecret, prefixOf } from '../../../../src/core/secrets.ts';
import { Cli, type KeyJson, startMs } from '../../harness.ts';

const dayMs = 86_400_000;

let cli: Cli;
let folder: string;
let file: string;
/** The file that a command after the rotation leaves. */
let mark: string;
beforeEach(async () => {
  cli = await new Cli().seed();
  folder = mkdtempSync(join(tmpdir(), 'hkctl-rotation-'));
  [file, mark] = [join(folder, 'gw.key'), join(folder, 'mark')];
  await cli.key('Gateway', ['--secret-file', file]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const secretIn = (path: string) => readFileSync(path, 'utf8').trim();
const nightly = (age: string, ...more: string[]) =>
  cli.run([
    'keys',
    'rotate',
    prefixOf(secretIn(file)),
    '--secret-file',
    file,
    '--if-older-than',
    age,
    '--yes',
    ...more,
  ]);

describe('keys rotate --if-older-than', () => {
  it('leaves a key alone until it is older, and then rotates it', async () => {
    const before = secretIn(file);
    cli.nowMs = startMs + 90 * dayMs;
    const young = await nightly('90d', '--json');
    expect([young.code, secretIn(file)]).toEqual([0, before]);
    expect(young.json<{ key: KeyJson }>()).toEqual({
      key: await cli.show(prefixOf(before)),
      revoked: null,
    });
    const silent = await nightly('90d');
    expect([silent.code, silent.stdout]).toEqual([0, '']);
    expect(silent.stderr).toBe(
      `Not rotated: Gateway (${prefixOf(before)}) is 90 days old, not yet 90d\n`,
    );
    cli.nowMs += 1;
    const due = (await nightly('90d', '--json')).json<{
      key: KeyJson;
      revoked: KeyJson;
      secret_file: string;
    }>();
    expect(due.revoked.prefix).toBe(prefixOf(before));
    expect(due).toMatchObject({ key: { prefix: prefixOf(secretIn(file)) }, secret_file: file });
  });

  it('warns, also with --quiet, of a key that was created ahead of the clock', async () => {
    // The clock jumps right after the start of the machine.
    const ahead = { nowMs: startMs + 120 * dayMs, upMs: 1000 };
    const create = 'keys create --name Ahead --entity BER --preset sensor-gateway';
    expect((await cli.run(create, ahead)).code).toBe(0);
    const { code, stderr } = await cli.run('keys rotate Ahead --if-older-than 90d --yes --quiet');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^Not rotated: Ahead .* was created at .*Z, ahead of the clock\. /),
    ]);
  });

  it('of several rotates those that are old enough, and names the others', async () => {
    cli.nowMs += 10 * dayMs;
    const { key: young } = await cli.key('Young');
    const old = prefixOf(secretIn(file));
    const line = ['keys', 'rotate', young.prefix, old, '--if-older-than', '5d', '--yes', '--json'];
    type Answer = { key: KeyJson; secret?: string; revoked: KeyJson | null };
    const answers = (await cli.ok(line)).json<Answer[]>();
    expect(answers.map(({ key, revoked }) => [key.name, revoked?.prefix ?? null])).toEqual([
      ['Gateway', old],
      ['Young', null],
    ]);
    expect(answers.map((answer) => 'secret' in answer)).toEqual([true, false]);
    expect((await cli.show(young.prefix)).status).toBe('Active');
    const none = (await cli.ok(line.toSpliced(3, 1, answers[0]?.key.prefix ?? ''))).json<
      Answer[]
    >();
    expect(none.map(({ revoked }) => revoked)).toEqual([null, null]);
    const plain = await cli.ok(['keys', 'rotate', young.prefix, '--if-older-than', '1s', '--yes'], {
      nowMs: cli.nowMs + 2000,
    });
    expect(plain.stdout).toMatch(/^hk_\w{49}\n$/);
  });

  it('needs --yes off a terminal once there is something to do, and says so before; the key must be active', async () => {
    const prefix = prefixOf(secretIn(file));
    const line = ['keys', 'rotate', prefix, '--if-older-than', '90d', '--json'];
    expect((await cli.run(line)).code).toBe(0);
    const early = await cli.run([...line.slice(0, -1), '--quiet']);
    expect([early.code, early.stderr]).toEqual([
      0,
      'Once a key is old enough, this needs --yes if there is no terminal to ask.\n',
    ]);
    const late = await cli.run(line, { nowMs: cli.nowMs + 91 * dayMs });
    expect([late.code, late.error().code]).toEqual([2, 'confirmation_required']);
    await cli.ok(['keys', 'revoke', prefix, '--yes']);
    expect((await cli.run([...line, '--yes'])).error().code).toBe('key_not_active');
    expect((await cli.run(['keys', 'rotate', prefix, '--if-older-than', 'x', '--yes'])).code).toBe(
      2,
    );
  });

  it('finishes a rotation that was cut off, however young its successor is', async () => {
    const old = secretIn(file);
    await nightly('0s');
    cli.nowMs += 1;
    await nightly('0s');
    const next = secretIn(file);
    writeFileSync(`${file}.new`, `${next}\n`);
    writeFileSync(file, `${old}\n`);
    const done = await nightly('90d', '--exec', `echo done > '${mark}'`);
    expect([done.code, secretIn(file), existsSync(mark)]).toEqual([0, next, true]);
  });
});

describe('a PATH.new', () => {
  it('with the secret of a successor that was revoked meanwhile is discarded, and the key of PATH is rotated', async () => {
    const first = secretIn(file);
    await nightly('0s');
    cli.nowMs += 1;
    await nightly('0s');
    const dead = secretIn(file);
    await cli.ok(['keys', 'revoke', prefixOf(dead), '--yes']);
    rmSync(file);
    const { secret } = await cli.key('Gateway');
    writeFileSync(file, `${secret}\n`);
    writeFileSync(`${file}.new`, `${dead}\n`);
    cli.nowMs += 1;
    const done = await nightly('0s');
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining(`Discarded ${file}.new`)]);
    expect([first, dead, secret]).not.toContain(secretIn(file));
    expect((await cli.show(prefixOf(secretIn(file)))).status).toBe('Active');
  });

  it('with the secret of another active key is never put in place, --force or not', async () => {
    const before = secretIn(file);
    const other = await cli.key('Other');
    writeFileSync(`${file}.new`, `${other.secret}\n`);
    for (const force of [[], ['--force']]) {
      const { code, stderr } = await nightly('0s', ...force);
      expect([code, stderr]).toEqual([
        5,
        expect.stringContaining('the secret of another active key, Other'),
      ]);
    }
    expect([secretIn(file), secretIn(`${file}.new`)]).toEqual([before, other.secret]);
  });
});

describe('keys rotate --exec', () => {
  it('runs once the new secret is in place, without a secret in its environment or arguments', async () => {
    const before = secretIn(file);
    const command = `head -c 8 '${file}' > '${mark}'; { env; tr '\\0' ' ' < /proc/$$/cmdline; } > '${mark}.seen'; cat`;
    cli.nowMs += 1;
    const { code, stdout } = await nightly('0s', '--exec', command, '--json');
    expect(code).toBe(0);
    expect(readFileSync(mark, 'utf8')).toBe(prefixOf(secretIn(file)));
    expect(secretIn(file)).not.toBe(before);
    expect(JSON.parse(stdout)).toMatchObject({ secret_file: file });
    const seen = readFileSync(`${mark}.seen`, 'utf8');
    expect(seen).toContain('HKCTL_STORE=');
    for (const secret of [before, secretIn(file)]) expect(seen).not.toContain(secret.slice(8));
  });

  it.each([
    ['exit 7', 'ended with exit code 7'],
    ['kill -TERM $$', 'was ended by SIGTERM'],
    ['no-such-command-anywhere', 'ended with exit code 127'],
  ])('that fails (%s) is exit 1, and the rotation is committed', async (command, how) => {
    const before = secretIn(file);
    cli.nowMs += 1;
    const { code, stderr, stdout } = await nightly('0s', '--exec', command, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'command_failed',
      message: `The rotation is committed, but the command after it ${how}.`,
      hint: expect.stringContaining(command),
    });
    expect(JSON.parse(stdout)).toMatchObject({ revoked: { prefix: prefixOf(before) } });
    expect((await cli.show(prefixOf(secretIn(file)))).status).toBe('Active');
    expect((await cli.show(prefixOf(before))).status).toBe('Revoked');
  });

  it('that failed by a typing error is corrected by the next run, also for a young key, and named until then', async () => {
    cli.nowMs += 1;
    expect((await nightly('0s', '--exec', 'tuoch x')).code).toBe(1);
    const prefix = prefixOf(secretIn(file));
    const waits = { command: 'tuoch x', file };
    const shown = (await cli.ok(['keys', 'show', prefix, '--json'])).json<object>();
    expect(shown).toMatchObject({ pending_commands: [waits] });
    expect((await cli.ok(['keys', 'show', prefix])).stdout).toMatch(/Waiting +tuoch x/);
    const status = await cli.run('status --json');
    expect([status.code, status.json()]).toEqual([
      5,
      expect.objectContaining({
        attention: expect.arrayContaining(['commands_pending']),
        pending_commands: [{ prefix, name: 'Gateway', ...waits }],
      }),
    ]);
    expect((await cli.run('status')).stdout).toContain(`${prefix} (Gateway) waits for: tuoch x`);
    // For another file it is another command.
    const { secret } = await cli.key('Other');
    writeFileSync(`${file}.other`, `${secret}\n`);
    const young = ['--if-older-than', '90d', '--yes', '--exec', `touch '${mark}.other'`];
    await cli.ok(['keys', 'rotate', prefixOf(secret), '--secret-file', `${file}.other`, ...young]);
    expect(existsSync(`${mark}.other`)).toBe(false);

    const corrected = await nightly('90d', '--exec', `touch '${mark}'`);
    expect([corrected.code, existsSync(mark), corrected.stderr]).toEqual([
      0,
      true,
      expect.stringContaining('it runs again'),
    ]);
    expect((await cli.ok(['keys', 'show', prefix, '--json'])).json<object>()).toMatchObject({
      pending_commands: [],
    });
    rmSync(mark);
    expect((await nightly('90d', '--exec', `touch '${mark}'`)).code).toBe(0);
    expect(existsSync(mark)).toBe(false);
  });

  it('does not run for a young key, nor where the rotation fails', async () => {
    const command = `touch '${mark}'`;
    expect((await nightly('90d', '--exec', command)).code).toBe(0);
    writeFileSync(`${file}.other`, `${drawSecret()}\n`);
    const other = ['--secret-file', `${file}.other`, '--yes', '--exec', command];
    expect((await cli.run(['keys', 'rotate', prefixOf(secretIn(file)), ...other])).code).toBe(5);
    expect(
      (await cli.run(['keys', 'rotate', prefixOf(secretIn(file)), '--yes', '--exec', ' '])).code,
    ).toBe(2);
    expect(existsSync(mark)).toBe(false);
  });

  it.each([
    ['that would end hkctl', 'echo $$ > "$MARK"; exec sleep 60', ['SIGTERM']],
    [
      'twice, where it ignores the first one',
      'trap "" TERM; echo $$ > "$MARK"; while :; do sleep 1; done',
      ['SIGTERM', 'SIGKILL'],
    ],
  ])('is ended by a signal %s, and the rotation is committed', async (_how, command, signals) => {
    const process = Object.assign(new EventEmitter(), { pid: 0, kill: () => true });
    const io = {
      env: { PATH: env.PATH, MARK: mark },
      signals: createSignals(process),
    };
    const ending = runAfterRotation(io, command);
    await vi.waitUntil(() => existsSync(mark) && readFileSync(mark, 'utf8').endsWith('\n'), {
      timeout: 20_000,
    });
    for (const _signal of signals) expect(process.emit('SIGINT')).toBe(true);
    await expect(ending).rejects.toThrow(
      `The rotation is committed, but the command after it was ended by ${signals.at(-1)}.`,
    );
    expect(process.listenerCount('SIGINT')).toBe(0);
  });

  it('leaves standard output to the secret', async () => {
    const prefix = prefixOf(secretIn(file));
    const { stdout } = await cli.ok(['keys', 'rotate', prefix, '--yes', '--exec', 'echo noise']);
    expect(stdout).toMatch(/^hk_\w{49}\n$/);
  });
});
