import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outputOf } from '../../run-program.ts';
import { stranger, TwoAccounts } from '../e2e/two-accounts.ts';
import { needPrograms, needRoot } from '../machine/needs.ts';

needRoot();
needPrograms('chattr', 'mount', 'umount', 'setpriv');

let accounts: TwoAccounts;
let folder: string;
let file: string;
/** What takes a folder out of the state in which a test has put it. */
let restore: (() => void)[];

const preset = ['--entity', 'BER', '--preset', 'sensor-gateway'];
const create = (name: string, ...more: string[]) =>
  accounts.run(['keys', 'create', '--name', name, ...preset, ...more]);
const rotate = (...more: string[]) => accounts.run(['keys', 'rotate', 'A', '--yes', ...more]);
const sh = (...argv: [string, ...string[]]) => outputOf(argv[0], argv.slice(1));

beforeEach(async () => {
  accounts = new TwoAccounts();
  folder = join(accounts.base, 'keys');
  file = join(folder, 'gateway.key');
  mkdirSync(folder, { mode: 0o755 });
  restore = [];
  await accounts.ok([
    'init',
    ...['--org', 'A', '--entity', 'BER', '--entity-name', 'B', '--timezone', 'UTC'],
    ...['--admin', 'root'],
  ]);
  expect((await create('A', '--secret-file', file)).code).toBe(0);
});
afterEach(async () => {
  for (const undo of restore.reverse()) undo();
  await accounts.close();
});

function mount(source: string, target: string, ...options: string[]): void {
  sh('mount', '--bind', source, target);
  restore.push(() => void sh('umount', target));
  if (options.length > 0) sh('mount', '-o', `remount,bind,${options.join(',')}`, target);
}

const sizeOf = (name: string) => statSync(join(folder, name)).size;

function attribute(name: string, path: string): void {
  sh('chattr', `+${name}`, path);
  restore.push(() => void sh('chattr', `-${name}`, path));
}

/** Each with what the refusal says to do about it. */
const states: [what: string, prepare: () => void, hint: RegExp][] = [
  [
    'a file that is mounted from elsewhere',
    () => {
      const source = join(accounts.admin, 'gateway.key');
      writeFileSync(source, readFileSync(file));
      mount(source, file);
    },
    /mount point\.\n.*Mount the folder \S+\/keys, not the file/,
  ],
  [
    'a file that is mounted over itself',
    () => mount(file, file),
    /mount point\.\n.*Mount the folder/,
  ],
  ['an immutable file', () => attribute('i', file), /immutable[\s\S]*chattr/],
  ['an append-only file', () => attribute('a', file), /append-only[\s\S]*chattr/],
  ['a file in an append-only folder', () => attribute('a', folder), /append-only[\s\S]*chattr/],
  ['a file in an immutable folder', () => attribute('i', folder), /immutable[\s\S]*chattr/],
  [
    'a file on a file system that is read-only',
    () => mount(folder, folder, 'ro'),
    /read-only\.\n.*so that it can be written/,
  ],
  [
    'a file of another account in a sticky folder',
    () => {
      chmodSync(folder, 0o1777);
      chownSync(file, stranger, stranger);
    },
    /\(uid 64124\) owns \S+\/gateway\.key and[\s\S]*Keep it in a folder/,
  ],
  [
    'a file of another account in a folder that all can write',
    () => {
      chmodSync(folder, 0o777);
      chownSync(file, stranger, stranger);
    },
    /can write the folder \S+\/keys \(mode 0777\)/,
  ],
  [
    'a leftover of another account in a sticky folder',
    () => {
      chmodSync(folder, 0o1777);
      writeFileSync(`${file}.new`, 'hk_');
      chownSync(`${file}.new`, stranger, stranger);
    },
    /\(uid 64124\) owns \S+\/gateway\.key\.new and/,
  ],
];

describe('keys rotate --secret-file rotates nothing onto', () => {
  it.each(states)('%s, and says what to do', async (_what, prepare, hint) => {
    prepare();
    // Nobody can remove from an append-only folder what shows that it is one.
    const namesNow = () => readdirSync(folder).filter((name) => sizeOf(name) > 0);
    const [names, content] = [namesNow(), readFileSync(file, 'utf8')];
    for (const force of [[], ['--force']]) {
      const { code, stderr } = await rotate('--secret-file', file, ...force);
      expect([code, stderr]).toEqual([2, expect.stringMatching(hint)]);
      expect([namesNow(), readFileSync(file, 'utf8')]).toEqual([names, content]);
    }
    const verified = accounts.hkctl(['keys', 'verify'], undefined, 'pipe');
    verified.child.stdin?.end(content);
    expect((await verified.ended).code).toBe(0);
    for (const undo of restore.splice(0).reverse()) undo();
  });
});

describe('nothing is created or rotated into', () => {
  it.each([
    ['an immutable folder', () => attribute('i', folder)],
    ['a folder that is mounted read-only', () => mount(folder, folder, 'ro')],
  ])('%s', async (_what, prepare) => {
    prepare();
    const names = readdirSync(folder);
    const lines = [
      await create('B', '--secret-file', join(folder, 'b.key')),
      await rotate('--secret-dir', folder),
      await rotate('--secret-file', join(folder, 'other.key')),
    ];
    for (const { code, stderr } of lines) expect([code, stderr]).toEqual([2, expect.anything()]);
    expect(readdirSync(folder)).toEqual(names);
    const { stdout } = await accounts.ok(['keys', 'list', '--all', '--json']);
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ status: 'Active' })]);
  });

  it('an append-only folder, in which an empty file stays that nobody can remove', async () => {
    attribute('a', folder);
    const { code, stderr } = await create('B', '--secret-file', join(folder, 'b.key'));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/append-only[\s\S]*chattr -i -a/)]);
    expect(readFileSync(join(folder, 'b.key.new'), 'utf8')).toBe('');
    expect((await rotate('--secret-dir', folder)).code).not.toBe(0);
    const { stdout } = await accounts.ok(['keys', 'list', '--all', '--json']);
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ status: 'Active' })]);
  });
});

it('an account without rights of root is refused the same way', async () => {
  const state = join(accounts.base, 'own');
  mkdirSync(state, { mode: 0o700 });
  chownSync(state, stranger, stranger);
  const asStranger = (...argv: string[]) => accounts.run(argv, join(state, 'hkctl.db'));
  const init = ['--org', 'A', '--entity', 'BER', '--entity-name', 'B', '--timezone', 'UTC'];
  expect((await asStranger('init', ...init, '--admin', 'root')).code).toBe(0);
  chmodSync(folder, 0o1777);
  chownSync(file, 0, 0);
  chmodSync(file, 0o644);
  expect((await asStranger('keys', 'create', '--name', 'A', ...preset, '--json')).code).toBe(0);
  const line = ['keys', 'rotate', 'A', '--yes', '--secret-file', file, '--force'];
  const { code, stderr } = await asStranger(...line);
  expect([code, stderr]).toEqual([2, expect.stringContaining('in a sticky folder')]);
  expect(readdirSync(folder)).toEqual(['gateway.key']);
});
