import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root, until } from '../../e2e/program.ts';
import { needRoot } from '../machine/needs.ts';
import { freePort, idsOf, lowPort, ownersIn, statusOf, stranger, TwoAccounts } from './two-accounts.ts';

let accounts: TwoAccounts;
/** The folders of the running test: around both, of the store, of root. */
let base: string;
let state: string;
let admin: string;
beforeEach(() => {
  accounts = new TwoAccounts();
  ({ base, state, admin } = accounts);
});
afterEach(() => accounts.close());

const run = (argv: readonly string[], store?: string) => accounts.run(argv, store);
const ok = (argv: readonly string[]) => accounts.ok(argv);

const initWords = ['--org', 'Acme', '--entity', 'BER', '--entity-name', 'B', '--timezone', 'UTC', '--admin', 'root'];
const init = ['init', ...initWords];
const create = ['keys', 'create', '--name', 'A', '--entity', 'BER', '--preset', 'sensor-gateway'];

needRoot();

describe('root on the store of another account', () => {
  beforeEach(() => chownSync(state, stranger, stranger));

  it('leaves only files of that account in its folder, and writes what root names as root', async () => {
    await ok(init);
    const [key, backup, sensors] = ['a.key', 'plant.backup', 'sensors.ndjson'].map((name) => join(admin, name)) as [
      string,
      string,
      string,
    ];
    await ok([...create, '--secret-file', key]);
    // Large enough for a thread of its own.
    const row = JSON.stringify({ id: 's1', code: 'S1', name: 'One', unit: 'Cel', is_active: true });
    writeFileSync(sensors, `${row}\n${'\n'.repeat(3_000_000)}`, { mode: 0o600 });
    await ok(['import', 'sensors', sensors, '--entity', 'BER']);
    await ok(['backup', backup]);
    await ok(['keys', 'rotate', readFileSync(key, 'utf8').slice(0, 8), '--secret-file', key, '--yes']);
    await ok(['backup', backup, '--force']);
    await ok(['restore', backup, '--yes']);
    await ok(['doctor']);
    mkdirSync(join(admin, 'keys'));
    await ok(['keys', 'rotate', readFileSync(key, 'utf8').slice(0, 8), '--secret-dir', join(admin, 'keys'), '--yes']);
    const scan = await run(['keys', 'scan', admin]);
    expect([scan.code, scan.stdout]).toEqual([5, expect.stringContaining('a.key')]);
    expect([ownersIn(state), ownersIn(admin)]).toEqual([[stranger], [0]]);
    expect(readdirSync(admin).sort()).toEqual(['a.key', 'keys', 'plant.backup', 'sensors.ndjson']);
    expect(lstatSync(backup).mode & 0o777).toBe(0o600);
    // Nothing of a backup stays behind beside the store.
    expect(readdirSync(join(state, 'hkctl.transfer'))).toEqual(['lock']);
  });

  it('runs the command after a rotation with all rights of root', async () => {
    await ok(init);
    const [key, seen] = ['a.key', 'seen'].map((name) => join(admin, name)) as [string, string];
    await ok([...create, '--secret-file', key]);
    const command = `grep -E '^(Uid|Gid|Groups):' /proc/self/status > '${seen}'`;
    const ref = readFileSync(key, 'utf8').slice(0, 8);
    await ok(['keys', 'rotate', ref, '--secret-file', key, '--yes', '--exec', command]);
    const ids = readFileSync(seen, 'utf8');
    expect(ids).toMatch(/^Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGroups:/);
    // Some shells take back the user of root by themselves, but not the groups.
    expect(ids).not.toContain(String(stranger));
    expect(ownersIn(admin)).toEqual([0]);
  });

  it('has the rights of that account in every thread', async () => {
    await ok(init);
    const scan = accounts.hkctl(['keys', 'scan', '-'], undefined, 'pipe');
    await until('the rights of the account', () => idsOf(scan.child.pid).join() === `0 ${stranger} 0 ${stranger}`);
    scan.child.stdin?.end();
    expect((await scan.ended).code).toBe(0);
  });

  it('serves with a key and a port that only root may have, and is root no more', async () => {
    await ok(init);
    const [key, cert] = ['tls.key', 'tls.crt'].map((name) => join(admin, name)) as [string, string];
    const pair = ['-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-subj', '/CN=localhost', ...pair], { stdio: 'pipe' });
    chmodSync(key, 0o644);
    const port = await lowPort();
    const daemon = accounts.hkctl(['serve', '--port', String(port), '--tls-cert', cert, '--tls-key', key]);
    await daemon.says(/serves https/);
    expect(idsOf(daemon.child.pid)).toEqual([Array(4).fill(stranger).join(' ')]);
    expect(await statusOf(`https://127.0.0.1:${port}/readyz`)).toBe(200);
    expect(daemon.stdout).toMatch(/EVERY ACCOUNT OF THIS MACHINE CAN READ THE PRIVATE KEY .*0644.*chmod 600/);
    expect(daemon.stdout).toMatch(/account of the store cannot read the certificate/);
    const { code } = await daemon.stop();
    expect([code, ownersIn(state)]).toEqual([0, [stranger]]);
  });

  it('follows no folder of that account to a store of root', async () => {
    chownSync(state, 0, 0);
    await ok(init);
    const theirs = join(base, 'theirs');
    mkdirSync(theirs, { mode: 0o755 });
    symlinkSync(state, join(theirs, 'link'));
    chownSync(theirs, stranger, stranger);
    for (const line of [['keys', 'list'], [...create, '--json'], init, ['restore', join(admin, 'none'), '--yes']]) {
      const { code, stderr } = await run(line, join(theirs, 'link', 'hkctl.db'));
      expect([code, stderr], line.join(' ')).toEqual([
        6,
        expect.stringContaining(`which the account ${stranger} can replace`),
      ]);
    }
    // A link that root has made for a folder of the account leads where root wants.
    symlinkSync(theirs, join(base, 'way'));
    expect((await run(init, join(base, 'way', 'hkctl.db'))).code).toBe(0);
    expect(lstatSync(join(theirs, 'hkctl.db')).uid).toBe(stranger);
  });

  it('makes a folder below one of that account with its rights, and none where others can write', async () => {
    expect((await run(init, join(state, 'a', 'b', 'hkctl.db'))).code).toBe(0);
    expect(ownersIn(state)).toEqual([stranger]);
    for (const [mode, group] of [
      [0o777, 0],
      [0o775, stranger],
    ] as const) {
      const open = join(base, `open-${mode}`);
      mkdirSync(open);
      chownSync(open, 0, group);
      chmodSync(open, mode);
      const { code, stderr } = await run(init, join(open, 'inner', 'hkctl.db'));
      expect([code, stderr]).toEqual([6, expect.stringContaining(`can write the folder ${open}`)]);
      expect(existsSync(join(open, 'inner'))).toBe(false);
    }
  });

  it('starts a demo there as that account, with root as its Super user', async () => {
    const env = { HKCTL_STORE: join(state, 'demo', 'hkctl.db'), HKCTL_PORT: String(await freePort()) };
    const demo = accounts.start([join(root, 'dist', 'start.cjs')], env);
    await demo.says(/Ctrl-C ends it/);
    expect(idsOf(demo.child.pid)).toEqual([Array(4).fill(stranger).join(' ')]);
    expect((await demo.stop('SIGINT')).code).toBe(0);
    expect(ownersIn(state)).toEqual([stranger]);
    const users = await run(['users', 'list', '--json'], join(state, 'demo', 'hkctl.db'));
    expect([users.code, users.stdout]).toEqual([0, expect.stringContaining('"login":"root"')]);
  });

  it('has no right of the group of root, but that of the account', async () => {
    chownSync(state, stranger, 0);
    await ok(init);
    expect(lstatSync(join(state, 'hkctl.db')).gid).toBe(stranger);
    // Every system knows the account 1 (daemon or bin), with the group 1.
    const known = join(base, 'known');
    mkdirSync(known);
    chownSync(known, 1, 0);
    expect((await run(init, join(known, 'hkctl.db'))).code).toBe(0);
    const { uid, gid } = lstatSync(join(known, 'hkctl.db'));
    expect([uid, gid]).toEqual([1, 1]);
  });

  it('follows no link that the account has made in place of what root names', async () => {
    await ok(init);
    const key = join(admin, 'a.key');
    await ok([...create, '--secret-file', key]);
    await ok(['backup', join(admin, 'plant.backup')]);
    writeFileSync(join(admin, 'sensors.ndjson'), '', { mode: 0o600 });
    const prefix = readFileSync(key, 'utf8').slice(0, 8);
    for (const name of ['a.key', 'plant.backup', 'sensors.ndjson']) {
      symlinkSync(join(admin, name), join(state, name));
      lchownSync(join(state, name), stranger, stranger);
    }
    const lines = [
      ['keys', 'rotate', prefix, '--secret-file', join(state, 'a.key'), '--yes', '--force'],
      ['restore', join(state, 'plant.backup'), '--yes'],
      ['import', 'sensors', join(state, 'sensors.ndjson'), '--entity', 'BER'],
    ];
    for (const line of lines) {
      const { code, stderr } = await run(line);
      expect([code, stderr], line.join(' ')).toEqual([
        2,
        expect.stringContaining(`a link that the account ${stranger} has made`),
      ]);
    }
    expect(readFileSync(key, 'utf8').slice(0, 8)).toBe(prefix);
    expect(readdirSync(admin).sort()).toEqual(['a.key', 'plant.backup', 'sensors.ndjson']);
    // One that root has made is what root means.
    symlinkSync(key, join(admin, 'link.key'));
    await ok(['keys', 'rotate', prefix, '--secret-file', join(admin, 'link.key'), '--yes']);
    expect(readFileSync(key, 'utf8').slice(0, 8)).not.toBe(prefix);
  });

  it('reports a backup that root cannot name, and one that is none, by its own name', async () => {
    await ok(init);
    const wrong = join(admin, 'wrong.backup');
    writeFileSync(wrong, 'no backup at all', { mode: 0o600 });
    const none = await run(['restore', wrong, '--yes']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining(`${wrong} is not a backup of hkctl`)]);
    const absent = await run(['restore', join(admin, 'absent'), '--yes']);
    expect([absent.code, absent.stderr]).toEqual([2, expect.stringContaining('There is no file')]);
    const own = await run(['backup', join(state, 'hkctl.db'), '--force']);
    expect([own.code, own.stderr]).toEqual([2, expect.stringContaining('is a file of the store itself')]);
    writeFileSync(join(admin, 'there.backup'), 'mine');
    expect((await run(['backup', join(admin, 'there.backup')])).code).toBe(5);
    expect(readFileSync(join(admin, 'there.backup'), 'utf8')).toBe('mine');
  });
});
