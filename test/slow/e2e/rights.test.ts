import {
  chmodSync,
  chownSync,
  existsSync,
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
import { outputOf } from '../../run-program.ts';
import { Terminal } from '../cli/pty/terminal.ts';
import { needRoot } from '../machine/needs.ts';
import { freePort, idsOf, ownersIn, statusOf, stranger, TwoAccounts } from './two-accounts.ts';

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
const own = (name: string) => join(state, name);
const roots = (name: string) => join(admin, name);
const prefixIn = (file: string) => readFileSync(file, 'utf8').slice(0, 8);
const onlyStranger = Array(4).fill(stranger).join(' ');

const initWords = '--org Acme --entity BER --entity-name B --timezone UTC --admin root'.split(' ');
const init = ['init', ...initWords];
const create = ['keys', 'create', '--name', 'A', '--entity', 'BER', '--preset', 'sensor-gateway'];

/** Makes a certificate and its key for localhost in a folder of root. */
function makePair(): { cert: string; key: string } {
  const [key, cert] = [roots('tls.key'), roots('tls.crt')];
  const pair = [
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    cert,
  ];
  outputOf('openssl', ['req', '-x509', '-newkey', 'ec', '-subj', '/CN=localhost', ...pair]);
  return { cert, key };
}

needRoot();

describe('root on the store of another account', () => {
  beforeEach(() => chownSync(state, stranger, stranger));

  it('does everything as that account', async () => {
    await ok(init);
    await ok([...create, '--secret-file', own('a.key')]);
    writeFileSync(
      own('sensors.ndjson'),
      JSON.stringify({ id: 's1', code: 'S1', name: 'One', is_active: true }),
    );
    chownSync(own('sensors.ndjson'), stranger, stranger);
    await ok(['import', 'sensors', own('sensors.ndjson'), '--entity', 'BER']);
    await ok(['backup', own('plant.backup')]);
    await ok(['keys', 'rotate', prefixIn(own('a.key')), '--secret-file', own('a.key'), '--yes']);
    await ok(['restore', own('plant.backup'), '--yes']);
    await ok(['doctor']);
    expect([ownersIn(state), readdirSync(admin)]).toEqual([[stranger], []]);
    expect(lstatSync(own('plant.backup')).mode & 0o777).toBe(0o600);
  });

  it('is refused what that account cannot access, and learns what works', async () => {
    await ok(init);
    await ok([...create, '--secret-file', own('a.key')]);
    const ref = prefixIn(own('a.key'));
    const { cert, key } = makePair();
    writeFileSync(roots('file'), 'id,code,name,is_active\ns1,S1,One,true\n', { mode: 0o600 });
    const [input, output] = ['Standard input works', 'Standard output works'];
    const folder = `A file in a folder of #${stranger} works.`;
    const lines: [argv: string[], ...hints: string[]][] = [
      [[...create, '--secret-file', roots('b.key')], output],
      [['keys', 'rotate', ref, '--secret-file', roots('b.key'), '--yes'], output],
      [['keys', 'rotate', ref, '--secret-dir', roots('keys'), '--yes'], output],
      [['import', 'sensors', roots('file'), '--entity', 'BER'], input],
      [['audit', 'verify', '--anchors', roots('file')], input],
      [['backup', roots('plant.backup')]],
      [['backup', admin, '--keep', '2']],
      [['restore', roots('file'), '--yes']],
      [['serve', '--port', '0', '--tls-cert', cert, '--tls-key', key]],
    ];
    for (const [argv, ...hints] of lines) {
      const { code, stderr } = await run(argv);
      expect([code, stderr], argv.join(' ')).toEqual([
        2,
        expect.stringContaining('this account may not'),
      ]);
      for (const hint of [folder, ...hints]) expect(stderr, argv.join(' ')).toContain(hint);
    }
    expect(readdirSync(admin).sort()).toEqual(['file', 'tls.crt', 'tls.key']);
    // A shell of root has opened standard input.
    const imported = accounts.hkctl(
      ['import', 'sensors', '-', '--entity', 'BER'],
      undefined,
      'pipe',
    );
    imported.child.stdin?.end(readFileSync(roots('file')));
    expect((await imported.ended).code).toBe(0);
  });

  it('searches no file for secrets that the account cannot read, and says so', async () => {
    await ok(init);
    writeFileSync(roots('log'), '');
    const { code, stderr } = await run(['keys', 'scan', admin]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('hkctl keys scan -')]);
    expect(stderr).toContain(`root has switched to that account`);
  });

  it('runs the command after a rotation as that account, too, and with its files', async () => {
    await ok(init);
    await ok([...create, '--secret-file', own('a.key')]);
    const command = `{ grep -E '^(Uid|Gid|Groups):' /proc/self/status; env; } > '${own('seen')}'`;
    await ok([
      'keys',
      'rotate',
      prefixIn(own('a.key')),
      '--secret-file',
      own('a.key'),
      '--yes',
      '--exec',
      command,
    ]);
    const seen = readFileSync(own('seen'), 'utf8');
    const [ids, groups] = [onlyStranger.replaceAll(' ', '\t'), String(stranger)];
    expect(seen).toContain(`Uid:\t${ids}\nGid:\t${ids}\nGroups:\t${groups} \n`);
    expect(seen).toMatch(/^HOME=\/$/m);
    expect(seen).not.toMatch(/^XDG_/m);
  });

  it('is that account in every thread, for good', async () => {
    await ok(init);
    const scan = accounts.hkctl(['keys', 'scan', '-'], undefined, 'pipe');
    await until('the rights of the account', () => idsOf(scan.child.pid).join() === onlyStranger);
    scan.child.stdin?.end();
    expect((await scan.ended).code).toBe(0);
  });

  it('serves as that account, with a certificate that it can read', async () => {
    await ok(init);
    const { cert, key } = makePair();
    chmodSync(admin, 0o755);
    chmodSync(key, 0o644);
    const port = await freePort();
    const daemon = accounts.hkctl([
      'serve',
      '--port',
      String(port),
      '--tls-cert',
      cert,
      '--tls-key',
      key,
    ]);
    await daemon.says(/serves https/);
    expect(idsOf(daemon.child.pid)).toEqual([onlyStranger]);
    expect(await statusOf(`https://127.0.0.1:${port}/readyz`)).toBe(200);
    const { code } = await daemon.stop();
    expect([code, ownersIn(state)]).toEqual([0, [stranger]]);
  });

  it('follows no folder of that account to a store of root', async () => {
    chownSync(state, 0, 0);
    await ok(init);
    await ok(['backup', join(base, 'plant.backup')]);
    chmodSync(join(base, 'plant.backup'), 0o644);
    const before = readdirSync(state).sort();
    const theirs = join(base, 'theirs');
    mkdirSync(theirs, { mode: 0o755 });
    symlinkSync(state, join(theirs, 'link'));
    chownSync(theirs, stranger, stranger);
    for (const line of [
      ['keys', 'list'],
      [...create, '--json'],
      init,
      ['restore', join(base, 'plant.backup'), '--yes'],
    ]) {
      const { code, stderr } = await run(line, join(theirs, 'link', 'hkctl.db'));
      expect([code, stderr], line.join(' ')).toEqual([
        6,
        expect.stringContaining('by this account'),
      ]);
    }
    expect(readdirSync(state).sort()).toEqual(before);
    // A link that root has made for a folder of the account leads where root wants.
    symlinkSync(theirs, join(base, 'way'));
    expect((await run(init, join(base, 'way', 'hkctl.db'))).code).toBe(0);
    expect(lstatSync(join(theirs, 'hkctl.db')).uid).toBe(stranger);
  });

  it('makes a folder below one of that account as that account, and none in a folder that others can write', async () => {
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
    const env = {
      HKCTL_STORE: join(state, 'demo', 'hkctl.db'),
      HKCTL_PORT: String(await freePort()),
    };
    const demo = accounts.start([join(root, 'dist', 'start.cjs')], env);
    await demo.says(/Ctrl-C ends it/);
    expect(idsOf(demo.child.pid)).toEqual([onlyStranger]);
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
});

describe('Documentation on the settings page', () => {
  it.each([
    ['shows root the address, and starts no browser', 0, 'Documentation: http'],
    ['is opened by a browser of the account that root has switched to', stranger, 'Opened http'],
  ])('%s', async (_what, owner, shown) => {
    chownSync(state, owner, owner);
    await ok(init);
    const browser = join(base, 'xdg-open');
    const seen = own('browser');
    writeFileSync(browser, `#!/bin/sh\nid -u > '${seen}'\n`, { mode: 0o755 });
    const env = { HKCTL_USER: 'root', HKCTL_BASE_URL: 'http://plant.example' };
    const terminal = new Terminal(100, 24, env, own('hkctl.db'));
    try {
      terminal.type(`export PATH='${base}':$PATH; hkctl keys`);
      await terminal.until('Documentation');
      terminal.press('d');
      await terminal.until(shown);
      expect(existsSync(seen) && Number(readFileSync(seen, 'utf8'))).toBe(owner !== 0 && owner);
    } finally {
      terminal.close();
    }
  });
});
