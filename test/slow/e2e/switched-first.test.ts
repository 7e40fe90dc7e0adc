import { chownSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readProgram } from '../../docs/program.ts';
import { cli, environment, Running } from '../../e2e/program.ts';
import { outputOf } from '../../run-program.ts';
import { needRoot, needStrace } from '../machine/needs.ts';
import { stranger, TwoAccounts } from './two-accounts.ts';

needRoot();
needStrace();

/** Commands that open no store; `keys` without a verb is `keys list`. */
const storeless =
  /^(?:keys|permissions list|openapi|completion|examples|systemd-unit|metrics-rules|postgres-roles|postgres-citus)$/;

let accounts: TwoAccounts;
let prefix: string;
const own = (name: string) => join(accounts.state, name);
/** What the folder of the account is before each command. */
const pristine = () => join(accounts.base, 'pristine');

beforeAll(async () => {
  accounts = new TwoAccounts();
  chownSync(accounts.state, stranger, stranger);
  const site = ['--entity', 'BER', '--entity-name', 'B', '--timezone', 'UTC', '--admin', 'root'];
  await accounts.ok(['init', '--org', 'Acme', ...site]);
  const create = ['keys', 'create', '--name', 'A', '--entity', 'BER', '--preset', 'sensor-gateway'];
  await accounts.ok([...create, '--secret-file', own('a.key')]);
  prefix = readFileSync(own('a.key'), 'utf8').slice(0, 8);
  await accounts.ok(['backup', own('plant.backup')]);
  outputOf('cp', ['-a', accounts.state, pristine()]);
});
afterAll(() => accounts.close());

/** A line for every command that works on a store; what they name are files of the account. */
function lines(): string[][] {
  const create = ['keys', 'create', '--name', 'B', '--entity', 'BER', '--preset', 'sensor-gateway'];
  const range = ['--from', '2026-01-01', '--to', '2026-02-01'];
  return [
    [...create, '--secret-file', own('b.key')],
    ['keys', 'rotate', prefix, '--secret-file', own('a.key'), '--yes'],
    ['keys', 'revoke', prefix, '--yes'],
    ['keys', 'list', '--all'],
    ['keys', 'show', prefix],
    ['keys', 'note', prefix, 'a note'],
    ['keys', 'verify'],
    ['keys', 'scan', own('a.key')],
    ['backup', own('new.backup')],
    ['restore', own('plant.backup'), '--yes'],
    ['import', 'parts', own('parts.csv'), '--entity', 'BER'],
    ['entities', 'add', 'CHI', '--name', 'Chicago', '--timezone', 'UTC'],
    ['entities', 'set', 'BER', '--name', 'Berlin'],
    ['entities', 'deactivate', 'BER', '--yes'],
    ['entities', 'activate', 'BER'],
    ['entities', 'remove', 'BER', '--yes'],
    ['entities', 'list'],
    ['users', 'add', 'carl', '--name', 'Carl', '--role', 'manager'],
    ['users', 'set-role', 'root', 'super_user'],
    ['users', 'deactivate', 'root', '--yes'],
    ['users', 'activate', 'root'],
    ['users', 'list'],
    ['tenants', 'add', 'Other', '--admin', 'otto'],
    ['tenants', 'set', '--name', 'Another'],
    ['tenants', 'list'],
    ['audit', 'verify', '--anchors', own('log')],
    ['audit', 'list'],
    ['audit', 'export'],
    ['sensors', 'list', '--entity', 'BER'],
    ['sensors', 'show', 'S-1', '--entity', 'BER'],
    ['sensors', 'export', '--entity', 'BER'],
    // Without a sensor of that name it ends.
    ['sensors', 'tail', 'NONE', '--entity', 'BER'],
    ['sensors', 'erase', 'S-1', '--entity', 'BER', ...range, '--yes'],
    ['status'],
    ['migrate'],
    ['doctor'],
    ['init', '--demo', '--admin', 'root'],
    // The files of a certificate are missing, so that it ends.
    ['serve', '--port', '0', '--tls-cert', own('none.pem'), '--tls-key', own('none.pem')],
  ];
}

it('every command that works on a store is tried', async () => {
  const tried = lines().map((argv) => argv.join(' '));
  const untried = [...(await readProgram()).commands.keys()].filter(
    (name) =>
      !storeless.test(name) && !tried.some((line) => line === name || line.startsWith(`${name} `)),
  );
  expect(untried).toEqual([]);
});

it('root opens and changes nothing of another account before it is that account', async () => {
  const log = join(accounts.admin, 'calls');
  const program = [process.execPath, cli];
  const calls = [
    '-f',
    '--seccomp-bpf',
    '-qq',
    '-o',
    log,
    '-e',
    'trace=setuid,open,openat,mkdir,unlink,rename,chmod,fchmodat,chown',
  ];
  for (const argv of lines()) {
    rmSync(accounts.state, { recursive: true });
    outputOf('cp', ['-a', pristine(), accounts.state]);
    const traced = new Running('strace', [...calls, ...program, ...argv], {
      env: environment({ HKCTL_STORE: own('hkctl.db'), HKCTL_USER: 'root' }),
    });
    const { code, stderr } = await traced.ended;
    expect([0, 1, 2, 3, 5, 6], `${argv.join(' ')}: ${stderr}`).toContain(code);
    const made = readFileSync(log, 'utf8').split('\n');
    const switched = made.findIndex((line) => line.includes(`setuid(${stranger})`));
    expect(switched, argv.join(' ')).toBeGreaterThan(0);
    const touching = (line: string) => line.includes(accounts.state);
    expect(made.slice(0, switched).filter(touching), argv.join(' ')).toEqual([]);
    // Otherwise the trace would prove nothing.
    expect(made.slice(switched).some(touching), argv.join(' ')).toBe(true);
  }
}, 300_000);
