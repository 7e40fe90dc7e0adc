import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Cli, type KeyJson } from '../../cli/harness.ts';
import { runProgramAsync } from '../../run-program.ts';

const hkctl = join(__dirname, '..', '..', '..', 'bin', 'hkctl.js');

/** Loaded into the program before it: kills it right before its n-th change to a file, or lets it end. */
const killer = `
const fs = require('node:fs');
let left = Number(process.env.KILL_BEFORE);
for (const name of ['openSync', 'writeSync', 'fchmodSync', 'fchownSync', 'fsyncSync', 'closeSync', 'renameSync', 'linkSync', 'unlinkSync', 'appendFileSync', 'fdatasyncSync']) {
  const original = fs[name];
  fs[name] = function (...args) {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL');
    return original.apply(this, args);
  };
}
`;

/** A key in a file, and the environment that kills a command before a step. */
async function killable() {
  const cli = new Cli();
  cli.nowMs = Date.now();
  await cli.seed();
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-kill-'));
  const file = join(folder, 'gateway.key');
  const preload = join(mkdtempSync(join(tmpdir(), 'hkctl-killer-')), 'killer.cjs');
  writeFileSync(preload, killer);
  await cli.ok([
    ...[
      'keys',
      'create',
      '--name',
      'Gateway',
      '--entity',
      'BER',
      '--preset',
      'sensor-gateway',
      '--secret-file',
      file,
    ],
  ]);
  const killedAt = (step: number, line: readonly string[]) => {
    const env = {
      ...process.env,
      HKCTL_STORE: cli.store,
      HKCTL_USER: 'root',
      NODE_OPTIONS: `--require ${preload}`,
      KILL_BEFORE: String(step),
    };
    return runProgramAsync(process.execPath, [hkctl, ...line], { env });
  };
  return { cli, folder, file, killedAt };
}

describe('a rotation into a file, killed at each step', () => {
  it('loses no secret, and the same command again ends it', async () => {
    const { cli, folder, file, killedAt } = await killable();
    const active = async () => (await cli.ok('keys list --json')).json<KeyJson[]>();
    const states = new Set<string>();
    let survived = false;
    for (let step = 0; !survived; step++) {
      const prefix = readFileSync(file, 'utf8').slice(0, 8);
      const line = ['keys', 'rotate', prefix, '--secret-file', file, '--yes'];
      const killed = await killedAt(step, line);
      survived = killed.code === 0;
      expect(survived || killed.signal === 'SIGKILL', killed.stderr).toBe(true);
      // Whatever happened: exactly one key is active, and its secret stands in one of the two files.
      const [key, ...others] = await active();
      expect(others).toEqual([]);
      const left = readdirSync(folder).sort();
      const held = left.filter((name) =>
        readFileSync(join(folder, name), 'utf8').startsWith(key?.prefix ?? '-'),
      );
      expect(held.length, `step ${step}: ${left}`).toBe(1);
      states.add(`${left.join(' + ')}: the key is in ${held.join()}`);
      const again = await cli.run(line);
      // Where all was done and only the exit code got lost, the key that was named is a revoked one by now.
      const done = key?.prefix !== prefix && held[0] === 'gateway.key';
      expect(again.code, again.stderr).toBe(done ? 5 : 0);
      const secret = readFileSync(file, 'utf8');
      expect((await cli.run('keys verify', { input: secret })).code).toBe(0);
      expect(readdirSync(folder)).toEqual(['gateway.key']);
    }
    // The walk met every state there is: nothing begun, written and not kept, kept and not renamed, done.
    expect([...states].sort()).toEqual([
      'gateway.key + gateway.key.new: the key is in gateway.key',
      'gateway.key + gateway.key.new: the key is in gateway.key.new',
      'gateway.key: the key is in gateway.key',
    ]);
    expect((await cli.ok('audit verify --json')).json()).toMatchObject({ ok: true });
  }, 300_000);

  it('leaves the command after it due: the next run of the same one, which rotates nothing, has it run', async () => {
    const { cli, file, killedAt } = await killable();
    const mark = `${file}.seen`;
    const prefix = () => readFileSync(file, 'utf8').slice(0, 8);
    const line = (...more: string[]) => [
      ...[
        'keys',
        'rotate',
        prefix(),
        '--secret-file',
        file,
        '--exec',
        `head -c 8 '${file}' > '${mark}'`,
        '--yes',
      ],
      ...more,
    ];
    await cli.ok(line());
    const late = new Set<boolean>();
    for (let step = 0, survived = false; !survived; step++) {
      survived = (await killedAt(step, line())).code === 0;
      late.add(readFileSync(mark, 'utf8') !== prefix());
      await cli.ok(line('--if-older-than', '90d'));
      expect(readFileSync(mark, 'utf8'), `step ${step}`).toBe(prefix());
      // Nothing is left that would give the next one other steps.
      await cli.ok(line());
    }
    // Some were killed after the new secret was in its place.
    expect([...late].sort()).toEqual([false, true]);
  }, 300_000);
});

describe('a key created into a new file, killed at each step', () => {
  it('is the only one, and the same command again ends it', async () => {
    const { cli, folder, file, killedAt } = await killable();
    const [gateway] = (await cli.ok('keys list --json')).json<KeyJson[]>();
    await cli.ok(['keys', 'revoke', gateway?.prefix ?? '', '--yes']);
    rmSync(file);
    const line = 'keys create --name New --entity BER --preset sensor-gateway'.split(' ');
    const states = new Set<string>();
    for (let step = 0, survived = false; !survived; step++) {
      const killed = await killedAt(step, [...line, '--secret-file', file]);
      survived = killed.code === 0;
      expect(survived || killed.signal === 'SIGKILL', killed.stderr).toBe(true);
      const left = readdirSync(folder).sort();
      states.add(left.join(' + '));
      const again = await cli.run([...line, '--secret-file', file]);
      // All was done, and only the exit code got lost.
      expect(again.code, `step ${step}: ${again.stderr}`).toBe(
        left.includes('gateway.key') ? 5 : 0,
      );
      const [key, ...others] = (await cli.ok('keys list --json')).json<KeyJson[]>();
      expect([others, readFileSync(file, 'utf8').slice(0, 8)], `step ${step}`).toEqual([
        [],
        key?.prefix,
      ]);
      await cli.ok(['keys', 'revoke', key?.prefix ?? '', '--yes']);
      for (const name of readdirSync(folder)) rmSync(join(folder, name));
    }
    // Nothing begun, written or kept, both names between link and unlink, done.
    expect([...states].sort()).toEqual([
      '',
      'gateway.key',
      'gateway.key + gateway.key.new',
      'gateway.key.new',
    ]);
  }, 300_000);
});
