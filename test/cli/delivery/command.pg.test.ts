import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { beforeEach, describe, expect, it } from 'vitest';
import { drawSecret, prefixOf } from '../../../src/core/secrets.ts';
import { pause } from '../../e2e/program.ts';
import type { Cli, KeyJson, RunOptions } from '../harness.ts';
import { allKeys, createLine, gatewayPlant, isValid } from './gateway-plant.ts';

let cli: Cli;
let folder: string;
/** What a command that delivers leaves: the secret of each key by its name, and a line for each run. */
let [remote, log] = [(_name: string) => '', ''];
/** Keeps the secret, and says something on its standard output. */
let command: string;
beforeEach(async () => {
  ({ cli, folder } = await gatewayPlant());
  remote = (name) => join(folder, `remote.${name}`);
  log = join(folder, 'log');
  command = `cat > '${remote('')}'"$HKCTL_KEY_NAME"; echo "$HKCTL_KEY_NAME $HKCTL_KEY_PREFIX" >> '${log}'; echo said`;
});

const run = (line: readonly string[], options: RunOptions = {}) =>
  cli.run(line, { ...options, env: { PATH: env.PATH ?? '', ...options.env } });
const create = (deliver: string, ...more: string[]) =>
  run([...createLine, '--deliver', deliver, ...more]);
const rotate = (refs: readonly string[], deliver: string, ...more: string[]) =>
  run(['keys', 'rotate', ...refs, '--deliver', deliver, '--yes', ...more]);
const at = (name: string) => readFileSync(remote(name), 'utf8');
const works = (name: string) => isValid(cli, at(name).trim());
const runs = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
const active = async () => (await allKeys(cli)).filter(({ status }) => status === 'Active');

describe('keys create --deliver', () => {
  it('hands over the secret with a newline, names the new key, and prints it nowhere', async () => {
    const { code, stdout, stderr } = await create(command);
    expect([code, stdout]).toEqual([0, '']);
    expect(at('Gateway')).toMatch(/^hk_\w{49}\n$/);
    expect(runs()).toEqual([`Gateway ${at('Gateway').slice(0, 8)}`]);
    expect(await works('Gateway')).toBe(true);
    expect(stderr).toContain('its secret was delivered');
    expect(stderr).not.toContain(at('Gateway').slice(8, 20));
  });

  it('leaves the secret out of its JSON, and out of arguments and environment', async () => {
    const seen = join(folder, 'seen');
    const look = `{ env; cat /proc/$$/cmdline; } > '${seen}'; ${command}`;
    const answer = (await create(look, '--json')).json();
    expect(answer).toEqual({ key: expect.objectContaining({ name: 'Gateway' }) });
    const text = readFileSync(seen, 'utf8');
    expect(text).toContain('HKCTL_KEY_NAME=Gateway');
    expect(text).not.toContain(at('Gateway').trim().slice(8));
  });

  it.each([
    ['exit 7', 'ended with exit code 7'],
    ['kill -TERM $$', 'was ended by SIGTERM'],
    ['no-such-command-anywhere', 'ended with exit code 127'],
  ])('creates no key if the command fails (%s): exit 1', async (failing, how) => {
    const { code, stderr } = await create(failing, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'command_failed',
      message: `The command of --deliver ${how} for Gateway; no key was created.`,
    });
    expect(await allKeys(cli)).toEqual([]);
  });

  it('creates it if the command ends well, whether it has read the secret or not', async () => {
    expect((await create('exec 0<&-; true')).code).toBe(0);
    expect(await active()).toHaveLength(1);
  });

  it.each([
    [['--secret-file', '/nowhere/x'], '--deliver or --secret-file'],
    [['--copy'], '--deliver or --copy'],
  ])('goes to one place: %s is exit 2', async (more, sentence) => {
    const { code, stderr } = await create(command, ...more);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    expect(runs()).toEqual([]);
  });

  it('needs a command: exit 2', async () => {
    for (const blank of ['', ' ', '\n']) expect((await create(blank)).code).toBe(2);
    expect(await allKeys(cli)).toEqual([]);
  });
});

describe('keys rotate --deliver', () => {
  beforeEach(async () => {
    await create(command);
    rmSync(log);
  });

  it('delivers before it commits, and the old key stops then', async () => {
    const before = at('Gateway');
    const check = `cp '${remote('Gateway')}' '${folder}/before'; ${command}`;
    const answer = (await rotate(['Gateway'], check, '--json')).json<{
      key: KeyJson;
      revoked: KeyJson;
    }>();
    expect(Object.keys(answer)).toEqual(['key', 'revoked']);
    expect([answer.key.prefix, answer.revoked.prefix]).toEqual([
      at('Gateway').slice(0, 8),
      prefixOf(before),
    ]);
    expect([await works('Gateway'), await isValid(cli, before.trim())]).toEqual([true, false]);
    expect(runs()).toEqual([`Gateway ${answer.key.prefix}`]);
  });

  it('rotates nothing if the command fails, and says so', async () => {
    const before = at('Gateway').trim();
    const { code, stderr } = await rotate(['Gateway'], 'cat > /dev/null; exit 3');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('ended with exit code 3 for Gateway; nothing was rotated'),
    ]);
    expect(await isValid(cli, before)).toBe(true);
    expect((await rotate(['Gateway'], command)).code).toBe(0);
    expect(await works('Gateway')).toBe(true);
  });

  it('makes files for their owner only, whatever the umask', async () => {
    const file = join(folder, 'delivered');
    expect((await rotate(['Gateway'], `umask > '${file}'`)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toMatch(/^0*77\n$/);
  });

  it('delivers several, and then commits all; if one delivery fails, none is rotated', async () => {
    const other = createLine.map((word) => (word === 'Gateway' ? 'Other' : word));
    expect((await run([...other, '--deliver', command])).code).toBe(0);
    const before = [at('Gateway'), at('Other')];
    const failing = await rotate(
      ['Gateway', 'Other'],
      `${command}; test "$HKCTL_KEY_NAME" = Gateway`,
    );
    expect([failing.code, failing.stderr]).toEqual([
      1,
      expect.stringMatching(/delivered for Gateway \(hk_\w{5}\) opens nothing/),
    ]);
    for (const secret of before) expect(await isValid(cli, secret.trim())).toBe(true);
    rmSync(log);
    const answers = (await rotate(['Gateway', 'Other'], command, '--json')).json<
      { key: KeyJson; revoked: KeyJson }[]
    >();
    expect(answers.map(({ key }) => `${key.name} ${key.prefix}`)).toEqual(runs());
    expect([await works('Gateway'), await works('Other')]).toEqual([true, true]);
  });

  it('rotates nothing if a key is revoked meanwhile: exit 5', async () => {
    const started = join(folder, 'started');
    const waiting = `touch '${started}'; while test -e '${started}'; do sleep 0.05; done; ${command}`;
    const rotating = rotate(['Gateway'], waiting);
    while (!existsSync(started)) await pause(10);
    // Nothing waits for the command: no lock is held.
    await cli.ok(['keys', 'revoke', 'Gateway', '--yes']);
    await cli.ok([...createLine, '--secret-file', join(folder, 'other.key')]);
    rmSync(started);
    const { code, stderr } = await rotating;
    expect([code, stderr]).toEqual([5, expect.stringContaining('opens nothing')]);
    expect(await works('Gateway')).toBe(false);
  });

  it('rotates nothing for a profile that was stopped meanwhile: exit 4', async () => {
    await cli.ok(['users', 'add', 'rotator', '--name', 'R', '--role', 'entity_admin']);
    const started = join(folder, 'started');
    const waiting = `touch '${started}'; while test -e '${started}'; do sleep 0.05; done; ${command}`;
    const before = at('Gateway');
    const rotating = rotate(['Gateway'], waiting, '--as', 'rotator');
    while (!existsSync(started)) await pause(10);
    await cli.ok(['users', 'deactivate', 'rotator', '--yes']);
    rmSync(started);
    expect((await rotating).code).toBe(4);
    expect(await isValid(cli, before.trim())).toBe(true);
  });

  it('lets the last secret that arrives be the one that works, of two at once', async () => {
    const ref = at('Gateway').slice(0, 8);
    const slow = (seconds: number) => `sleep ${seconds}; ${command}`;
    const outcomes = await Promise.all([rotate([ref], slow(0.5)), rotate([ref], slow(0))]);
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 5]);
    expect(await works('Gateway')).toBe(true);
    expect(runs()).toHaveLength(1);
  });

  it('goes with --if-older-than and --exec', async () => {
    const after = join(folder, 'after');
    const nightly = (span: string) =>
      rotate(['Gateway'], command, '--if-older-than', span, '--exec', `echo ran >> '${after}'`);
    expect((await nightly('90d')).code).toBe(0);
    expect([runs(), existsSync(after)]).toEqual([[], false]);
    cli.nowMs += 1;
    expect((await nightly('0s')).code).toBe(0);
    expect((await nightly('90d')).code).toBe(0);
    expect([runs().length, readFileSync(after, 'utf8')]).toEqual([1, 'ran\n']);
    expect(await works('Gateway')).toBe(true);
  });

  it('repeats --exec until it has succeeded, and delivers once', async () => {
    const repaired = join(folder, 'repaired');
    const old = at('Gateway').slice(0, 8);
    const line = () => rotate([old], command, '--exec', `test -e '${repaired}'`);
    expect((await line()).code).toBe(1);
    writeFileSync(repaired, '');
    expect((await line()).code).toBe(0);
    expect((await line()).code).toBe(5);
    expect(runs()).toHaveLength(1);
  });

  it('needs --yes off a terminal, and asks on one before it delivers', async () => {
    const line = ['keys', 'rotate', 'Gateway', '--deliver', command];
    expect((await run(line)).code).toBe(2);
    const terminal = { columns: 100, rows: 30 };
    const { code, stderr } = await run(line, { terminal, keys: ['\r'] });
    expect([code, stderr]).toEqual([
      130,
      expect.stringContaining('The command takes the new secret'),
    ]);
    expect(runs()).toEqual([]);
  });

  it('says nothing of a secret that is not one of its own', async () => {
    const { stderr } = await rotate([drawSecret()], command);
    expect(stderr).toContain("shell's history");
    expect(runs()).toEqual([]);
  });
});
