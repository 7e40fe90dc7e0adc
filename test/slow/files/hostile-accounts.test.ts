import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outputOf, startProgram } from '../../run-program.ts';
import { stranger, TwoAccounts } from '../e2e/two-accounts.ts';
import { needPrograms, needRoot } from '../machine/needs.ts';

needRoot();
needPrograms('cc', 'ls', 'python3', 'setpriv');

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

/** Gives a folder an entry for another account in an access control list, as setfacl(1) does. */
const grant = `
import os, struct, sys
entries = [(1, 7, -1), (2, 7, ${stranger}), (4, 5, -1), (16, 7, -1), (32, 5, -1)]
value = struct.pack('<I', 2) + b''.join(struct.pack('<HHi', *entry) for entry in entries)
os.setxattr(sys.argv[1], 'system.posix_acl_access', value)
`;

/** Ways in which another account could exchange a file, each as the folder of that file; with what the refusal says. */
const openFolders: [what: string, make: () => string, refusal: RegExp][] = [
  [
    'a folder of another account',
    () => makeFolder('theirs', 0o755, stranger),
    /Another account \(uid 64124\) owns \S+\/theirs and could exchange/,
  ],
  [
    'a folder below one of another account',
    () => {
      makeFolder('theirs', 0o755, stranger);
      return makeFolder('theirs/ours', 0o700);
    },
    /owns \S+\/theirs and could exchange/,
  ],
  [
    'a folder that all can write',
    () => makeFolder('open', 0o777),
    /folder \S+\/open \(mode 0777\)/,
  ],
  [
    'a folder that another group can write',
    () => {
      const folder = makeFolder('shared', 0o775);
      chownSync(folder, 0, stranger);
      return folder;
    },
    /folder \S+\/shared \(mode 0775\)/,
  ],
  [
    'a folder that a list of access control gives to another account',
    () => {
      const folder = makeFolder('listed', 0o755);
      outputOf('python3', ['-c', grant, folder]);
      return folder;
    },
    /folder \S+\/listed \(mode 0775\)/,
  ],
  [
    'a folder behind a link that another account made',
    () => {
      const folder = makeFolder('real', 0o700);
      const link = join(makeFolder('incoming', 0o1777), 'today');
      symlinkSync(folder, link);
      lchownSync(link, stranger, stranger);
      return link;
    },
    /owns the link \S+\/today and could exchange/,
  ],
];

describe.each(openFolders)('%s', (_what, make, refusal) => {
  it('has no file that a secret replaces, is read from, or a backup; a new file is made', async () => {
    await accounts.ok(['keys', 'create', '--name', 'A', ...preset, '--json']);
    const backup = join(accounts.admin, 'plant.backup');
    await accounts.ok(['backup', backup]);
    const folder = make();
    const file = (name: string) => join(folder, name);
    writeFileSync(file('key'), 'hk_');
    writeFileSync(file('left.key.new'), 'hk_');
    copyFileSync(backup, file('plant.backup'));
    const lines = [
      ['keys', 'rotate', 'A', '--secret-file', file('key'), '--force', '--yes'],
      ['keys', 'rotate', 'A', '--secret-file', file('left.key'), '--yes'],
      ['keys', 'create', '--name', 'B', ...preset, '--secret-file', file('left.key')],
      ['backup', file('new.backup')],
      ['backup', file('plant.backup'), '--force'],
      ['restore', file('plant.backup'), '--yes'],
    ];
    for (const line of lines) {
      const { code, stderr } = await accounts.run(line);
      expect([code, stderr], line.join(' ')).toEqual([2, expect.stringMatching(refusal)]);
      expect(stderr).toMatch(/Keep it in a folder|standard (in|out)put/);
    }
    const { stdout } = await accounts.ok(['keys', 'list', '--all', '--json']);
    expect(JSON.parse(stdout)).toHaveLength(1);
    await accounts.ok(['keys', 'create', '--name', 'B', ...preset, '--secret-file', file('b.key')]);
    expect(statSync(file('b.key'))).toMatchObject({ uid: 0, mode: 0o100600 });
  });
});

it('a closed folder keeps owner and group of the file that a rotation or a backup replaces', async () => {
  const folder = makeFolder('gateway', 0o755);
  const [file, backup] = [join(folder, 'gateway.key'), join(folder, 'plant.backup')];
  await accounts.ok(['keys', 'create', '--name', 'A', ...preset, '--secret-file', file]);
  await accounts.ok(['backup', backup]);
  for (const path of [file, backup]) chownSync(path, stranger, stranger);
  const before = readFileSync(file, 'utf8');
  await accounts.ok(['keys', 'rotate', before.slice(0, 8), '--secret-file', file, '--yes']);
  await accounts.ok(['backup', backup, '--force']);
  for (const path of [file, backup]) {
    expect(statSync(path)).toMatchObject({ uid: stranger, gid: stranger, mode: 0o100600 });
  }
  expect(readFileSync(file, 'utf8')).not.toBe(before);
});

it('a sticky folder passes for a file of this account, and not for one of another', async () => {
  const file = join(makeFolder('sticky', 0o1777), 'gateway.key');
  await accounts.ok(['keys', 'create', '--name', 'A', ...preset, '--secret-file', file]);
  const rotateIt = () => {
    const prefix = readFileSync(file, 'utf8').slice(0, 8);
    return accounts.run(['keys', 'rotate', prefix, '--secret-file', file, '--yes']);
  };
  expect((await rotateIt()).code).toBe(0);
  chownSync(file, stranger, stranger);
  expect(await rotateIt()).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Another account \(uid 64124\) owns \S+\/gateway\.key/),
  });
});

it('what the account can read is imported, whoever owns it', async () => {
  const incoming = makeFolder('incoming', 0o777, stranger);
  const file = join(incoming, 'sensors.csv');
  writeFileSync(file, 'id,code,name,is_active\ns1,S1,One,true\n');
  await accounts.ok(['import', 'sensors', file, '--entity', 'BER']);
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
