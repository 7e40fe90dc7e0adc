import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outputFailed } from '../../../../src/cli/terminal/io.ts';
import { prefixOf } from '../../../../src/core/secrets.ts';
import { Cli, type RunOptions } from '../../harness.ts';

let cli: Cli;
let folder: string;
let file: string;
/** Where the command leaves a line at each run; it succeeds once `works` exists. */
let [log, works] = ['', ''];
let command: string;
beforeEach(async () => {
  cli = await new Cli().seed();
  folder = mkdtempSync(join(tmpdir(), 'hkctl-after-'));
  file = join(folder, 'gw.key');
  [log, works] = [join(folder, 'log'), join(folder, 'works')];
  command = `echo run >> '${log}'; test -e '${works}'`;
  await cli.key('Gateway', ['--secret-file', file]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const secretIn = (path: string) => readFileSync(path, 'utf8').trim();
const runs = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0);
const repair = () => writeFileSync(works, '');
/** The line of every night; the command after it may be another one. */
const nightly = (exec: string, options: RunOptions = {}, more = ['--if-older-than', '90d']) =>
  cli.run(
    [
      'keys',
      'rotate',
      prefixOf(secretIn(file)),
      '--secret-file',
      file,
      ...more,
      '--exec',
      exec,
      '--yes',
    ],
    options,
  );
const fullDisk = () => {
  throw outputFailed(Object.assign(new Error('full'), { code: 'ENOSPC' }));
};
const rotateFailing = async () => expect((await nightly(command, {}, [])).code).toBe(1);

describe('a command after a rotation that has failed', () => {
  it('runs again with every run of the same command until it has succeeded, however young the key is', async () => {
    await rotateFailing();
    const secret = secretIn(file);
    const failed = await nightly(command);
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringContaining('The rotation is committed'),
    ]);
    repair();
    const done = await nightly(command);
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('has not succeeded yet')]);
    expect([runs(), secretIn(file)]).toEqual([3, secret]);
    expect((await nightly(command)).code).toBe(0);
    expect(runs()).toBe(3);
  });

  it('runs at once, although nobody can read what the rotation says', async () => {
    repair();
    const { code } = await nightly(command, { onWarn: fullDisk }, []);
    expect([code, runs()]).toEqual([0, 1]);
  });

  it('is of the file: a run for another place leaves it, and the newest command for the file replaces it', async () => {
    await rotateFailing();
    repair();
    const prefix = prefixOf(secretIn(file));
    const elsewhere = ['keys', 'rotate', prefix, '--if-older-than', '90d', '--exec', command];
    await cli.ok([...elsewhere, '--yes']);
    expect(runs()).toBe(1);
    const corrected = join(folder, 'corrected');
    expect((await nightly(`touch '${corrected}'`)).code).toBe(0);
    expect((await nightly(command)).code).toBe(0);
    expect([runs(), existsSync(corrected)]).toEqual([1, true]);
  });

  it('goes on with the successor where the key is rotated without a command', async () => {
    await rotateFailing();
    const prefix = prefixOf(secretIn(file));
    await cli.ok(['keys', 'rotate', prefix, '--secret-file', file, '--yes']);
    repair();
    expect((await nightly(command)).code).toBe(0);
    expect(runs()).toBe(2);
  });

  it('runs again where the old key is named, whose rotation is committed; and nothing is rotated then', async () => {
    const old = prefixOf(secretIn(file));
    const line = (more: string[]) =>
      cli.run(['keys', 'rotate', old, ...more, '--exec', command, '--yes', '--json']);
    expect((await line(['--secret-file', file])).code).toBe(1);
    const secret = secretIn(file);
    repair();
    expect((await line([])).code).toBe(5);
    // The file holds something else by now.
    writeFileSync(file, 'hk_\n');
    expect((await line(['--secret-file', file])).code).toBe(5);
    writeFileSync(file, `${secret}\n`);
    const again = await line(['--secret-file', file]);
    expect([again.code, again.json()]).toEqual([
      0,
      { key: expect.objectContaining({ prefix: prefixOf(secret) }), revoked: null },
    ]);
    expect([runs(), secretIn(file)]).toEqual([2, secret]);
    expect((await line(['--secret-file', file])).code).toBe(5);
  });

  it('after several keys and on standard output runs once more for all of them', async () => {
    const others = [await cli.key('A'), await cli.key('B')].map(({ key }) => key.prefix);
    const line = ['keys', 'rotate', ...others, '--exec', command, '--yes'];
    const first = await cli.run(line);
    expect([first.code, first.stdout]).toEqual([1, expect.stringMatching(/^(hk_\w{49}\n){2}$/)]);
    repair();
    const second = await cli.run(line);
    expect([second.code, second.stdout, runs()]).toEqual([0, '', 2]);
    expect((await cli.run(line)).code).toBe(5);
  });
});

it('a command is due from the commit on: a run that is cut off before it is made up for by the next one', async () => {
  const { secret } = (
    await cli.ok(['keys', 'rotate', prefixOf(secretIn(file)), '--yes', '--json'])
  ).json<{
    secret: string;
  }>();
  writeFileSync(`${file}.new`, `${secret}\n`, { mode: 0o600 });
  expect((await nightly(command)).code).toBe(1);
  expect(secretIn(file)).toBe(secret);
  repair();
  expect((await nightly(command)).code).toBe(0);
  expect(runs()).toBe(2);
});
