import { chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stranger, TwoAccounts } from '../e2e/two-accounts.ts';
import { needRoot } from '../machine/needs.ts';

needRoot();

let accounts: TwoAccounts;
beforeEach(() => {
  accounts = new TwoAccounts();
});
afterEach(() => accounts.close());

it('a file whose secret root rotates keeps its owner', async () => {
  await accounts.ok([
    'init',
    ...['--org', 'A', '--entity', 'BER', '--entity-name', 'B', '--timezone', 'UTC'],
    ...['--admin', 'root'],
  ]);
  const folder = join(accounts.base, 'gateway');
  mkdirSync(folder, { mode: 0o755 });
  const file = join(folder, 'gateway.key');
  const preset = ['--entity', 'BER', '--preset', 'sensor-gateway'];
  await accounts.ok(['keys', 'create', '--name', 'A', ...preset, '--secret-file', file]);
  // The folder of root, and that of the account itself.
  for (const owner of [0, stranger]) {
    chownSync(folder, owner, owner);
    chownSync(file, stranger, stranger);
    const before = readFileSync(file, 'utf8');
    await accounts.ok(['keys', 'rotate', before.slice(0, 8), '--secret-file', file, '--yes']);
    const { uid, gid, mode } = statSync(file);
    expect([uid, gid, mode & 0o777]).toEqual([stranger, stranger, 0o600]);
    expect(readFileSync(file, 'utf8')).not.toBe(before);
  }
});
