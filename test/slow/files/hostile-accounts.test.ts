import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { outputOf, startProgram } from '../../run-program.ts';
import { stranger, TwoAccounts } from '../e2e/two-accounts.ts';
import { needPrograms, needRoot } from '../machine/needs.ts';

needRoot();
needPrograms('cc', 'setpriv');

/** Makes and removes an empty file, as fast as it can. */
const flicker = `
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv) {
  for (;;) {
    int fd = open(argv[1], O_CREAT | O_EXCL | O_WRONLY, 0666);
    if (fd >= 0) { close(fd); unlink(argv[1]); }
  }
}
`;

/** Waits until a file is opened, then replaces a folder by a link: arguments file, folder, target. */
const swap = `
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char events[4096], moved[4096];
  int in = inotify_init();
  inotify_add_watch(in, argv[1], IN_OPEN);
  puts("ready"); fflush(stdout);
  read(in, events, sizeof events);
  snprintf(moved, sizeof moved, "%s.moved", argv[2]);
  rename(argv[2], moved);
  symlink(argv[3], argv[2]);
  puts("swapped"); fflush(stdout);
  pause();
}
`;

let accounts: TwoAccounts;
let hostile: ChildProcess[];
const preset = ['--entity', 'BER', '--preset', 'sensor-gateway'];

beforeEach(async () => {
  accounts = new TwoAccounts();
  hostile = [];
  await accounts.ok([
    'init',
    ...['--org', 'A', '--entity', 'BER', '--entity-name', 'B', '--timezone', 'UTC'],
    ...['--admin', 'root'],
  ]);
});
afterEach(async () => {
  for (const child of hostile) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  await accounts.close();
});

function compile(name: string, text: string): string {
  const [source, program] = [join(accounts.base, `${name}.c`), join(accounts.base, name)];
  writeFileSync(source, text);
  outputOf('cc', ['-O1', '-o', program, source]);
  return program;
}

/** Starts a program as another account. */
function asStranger(...argv: string[]): ChildProcess {
  const ids = [`--reuid=${stranger}`, `--regid=${stranger}`, '--clear-groups'];
  const child = startProgram('setpriv', [...ids, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  hostile.push(child);
  return child;
}

function makeFolder(name: string, mode: number, owner = 0): string {
  const path = join(accounts.base, name);
  mkdirSync(path);
  chmodSync(path, mode);
  chownSync(path, owner, owner);
  return path;
}

it('a secret goes to no account that makes and removes a file of its name in a sticky folder', async () => {
  const folder = makeFolder('sticky', 0o1777);
  const file = join(folder, 'gateway.key');
  asStranger(compile('flicker', flicker), file);
  for (let round = 0; round < 30; round++) {
    const line = ['keys', 'create', '--name', `K${round}`, ...preset, '--secret-file', file];
    const { code, stderr } = await accounts.run(line);
    const left = readdirSync(folder).filter((name) => name.endsWith('.new'));
    // Committed or not: whatever holds a secret belongs to root.
    for (const name of left) {
      const { uid, mode } = statSync(join(folder, name));
      expect([uid, mode & 0o777], stderr).toEqual([0, 0o600]);
    }
    if (code === 0) expect(statSync(file).uid, stderr).toBe(0);
    for (const name of left) outputOf('rm', [join(folder, name)]);
    if (code === 0) outputOf('rm', [file]);
  }
});

it('keys scan follows no folder that is exchanged for a link meanwhile', async () => {
  const secrets = join(accounts.admin, 'secrets');
  mkdirSync(secrets);
  const { stdout } = await accounts.ok(['keys', 'create', '--name', 'A', ...preset]);
  writeFileSync(join(secrets, 'key'), stdout);
  const theirs = makeFolder('theirs', 0o755, stranger);
  const inner = join(theirs, 'inner');
  mkdirSync(inner);
  const trigger = join(theirs, 'trigger');
  writeFileSync(trigger, 'x'.repeat(50_000_000));
  const watcher = asStranger(compile('swap', swap), trigger, inner, secrets);
  await once(watcher.stdout as NodeJS.ReadableStream, 'data');
  const scanned = await accounts.run(['keys', 'scan', theirs, '--json']);
  expect(readdirSync(theirs)).toContain('inner.moved');
  expect(JSON.parse(scanned.stdout).findings).toEqual([]);
});

it('a link that another account made on the way to a file is not followed', async () => {
  const secrets = join(accounts.admin, 'secrets');
  mkdirSync(secrets);
  writeFileSync(join(secrets, 'parts.csv'), 'id,code,name,is_active\ns1,S1,One,true\n');
  const { stdout } = await accounts.ok(['keys', 'create', '--name', 'A', ...preset]);
  writeFileSync(join(secrets, 'key'), stdout);
  const incoming = makeFolder('incoming', 0o777);
  outputOf('setpriv', [
    `--reuid=${stranger}`,
    `--regid=${stranger}`,
    '--clear-groups',
    ...['ln', '-s', secrets, join(incoming, 'today')],
  ]);
  const file = (name: string) => join(incoming, 'today', name);
  const lines = [
    ['import', 'sensors', file('parts.csv'), '--entity', 'BER'],
    ['audit', 'verify', '--anchors', file('parts.csv')],
    ['keys', 'create', '--name', 'B', ...preset, '--secret-file', file('new.key')],
    ['keys', 'rotate', 'A', '--secret-file', file('key'), '--yes'],
    ['keys', 'rotate', 'A', '--secret-dir', join(incoming, 'today'), '--yes'],
  ];
  for (const line of lines) {
    const { code, stderr } = await accounts.run(line);
    expect([code, stderr], line.join(' ')).toEqual([
      2,
      expect.stringContaining(`today is a link that the account ${stranger} made`),
    ]);
  }
  const scanned = await accounts.run(['keys', 'scan', file('key'), '--json']);
  expect([scanned.code, JSON.parse(scanned.stdout).findings]).toEqual([1, []]);
  expect(readdirSync(secrets).sort()).toEqual(['key', 'parts.csv']);
});

it('a folder of root and links of root still lead where they lead', async () => {
  const real = makeFolder('real', 0o755);
  symlinkSync(real, join(accounts.base, 'link'));
  const file = join(accounts.base, 'link', 'gateway.key');
  await accounts.ok(['keys', 'create', '--name', 'A', ...preset, '--secret-file', file]);
  const line = ['keys', 'rotate', readFileSync(file, 'utf8').slice(0, 8), '--secret-file', file];
  await accounts.ok([...line, '--yes']);
  const secret = readFileSync(file, 'utf8');
  // As if it was killed before the last step, so that PATH is gone.
  renameSync(file, `${file}.new`);
  await accounts.ok([...line, '--yes']);
  expect(readFileSync(join(real, 'gateway.key'), 'utf8')).toBe(secret);
});
