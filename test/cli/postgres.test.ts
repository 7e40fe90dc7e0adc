import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newDatabase } from '../store/postgres/databases.ts';
import { Cli } from './harness.ts';

const init =
  'init --org Acme --week-start monday --entity BER --entity-name Berlin --timezone Europe/Berlin --admin root';

/** A new key, as `--json` shows it. */
interface Made {
  key: { id: string; prefix: string };
  secret: string;
}

/** The same address with a password, which the server of the tests does not ask for. */
function withPassword(address: string): string {
  return address.replace('postgres://postgres@', 'postgres://postgres:hunter2@');
}

describe('the command line on PostgreSQL', () => {
  it('makes a store once, and shows its address without the password', async () => {
    const cli = new Cli(withPassword(await newDatabase()));
    expect((await cli.run('keys list')).code).toBe(6);
    const made = await cli.ok(init);
    expect(made.stdout).toContain('Store made: postgres://postgres@/hkctl_test_');
    const again = await cli.run(`${init} --json`);
    expect([again.code, again.error().code]).toEqual([5, 'already_initialised']);
    for (const { stdout, stderr } of [made, again]) expect(stdout + stderr).not.toContain('hunter2');
  });

  it('creates, rotates, revokes and verifies keys, and keeps the trail whole', async () => {
    const cli = new Cli(await newDatabase());
    await cli.ok(init);
    const { key, secret } = (
      await cli.ok('keys create --name one --entity BER --permission parts.view --json')
    ).json<Made>();
    expect((await cli.ok('keys verify', { input: secret })).code).toBe(0);
    const next = (await cli.ok(['keys', 'rotate', key.prefix, '--yes', '--json'])).json<Made & { revoked: unknown }>();
    expect(next.revoked).toMatchObject({ id: key.id, status: 'Revoked', rotated_to: next.key.id });
    expect((await cli.run('keys verify', { input: secret })).code).toBe(5);
    await cli.ok(['keys', 'revoke', next.key.prefix, '--yes']);
    expect((await cli.run(['keys', 'revoke', next.key.prefix, '--yes'])).code).toBe(5);
    expect((await cli.ok('keys list --all --json')).json()).toHaveLength(2);
    await cli.ok('entities add CHI --name Chicago --timezone UTC');
    expect((await cli.run('entities add CHI --name Chicago --timezone UTC')).code).toBe(5);
    await cli.ok('entities remove CHI --yes');
    await cli.ok('users add ben --name Ben --role operator');
    expect(
      (await cli.run('keys create --name x --entity BER --permission parts.view', { osAccount: 'ben' })).code,
    ).toBe(4);
    expect((await cli.run('users deactivate root --yes')).code).toBe(5);
    await cli.ok('tenants add Beta --admin bob');
    expect((await cli.ok('keys list --all --json', { osAccount: 'bob' })).json()).toEqual([]);
    const actions = (await cli.ok('audit list --json')).json<{ action: string }[]>().map(({ action }) => action);
    expect(actions).toContain('key.rotate');
    expect((await cli.ok('audit verify')).stdout).toContain('the chain is whole');
  });

  it('is checked by doctor, which warns of the settings of the server of the tests', async () => {
    const cli = new Cli(await newDatabase());
    await cli.ok(init);
    const { code, json } = await cli.run('doctor --json');
    const { checks } = json<{ checks: { name: string; status: string }[] }>();
    const found = new Map(checks.map(({ name, status }) => [name, status]));
    expect(code).toBe(0);
    expect(Object.fromEntries(found)).toMatchObject({
      schema: 'ok',
      audit: 'ok',
      server: 'ok',
      durability: 'warning',
      rights: 'warning',
    });
    expect((await cli.ok('migrate')).stdout).toContain('up to date');
  });

  it('is backed up, and restored into another database', async () => {
    const cli = new Cli(await newDatabase());
    await cli.ok(init);
    await cli.ok('keys create --name one --entity BER --permission parts.view --json');
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-'));
    const file = join(folder, 'plant.backup');
    await cli.ok(['backup', file]);
    const other = new Cli(await newDatabase());
    await other.ok(['restore', file, '--yes']);
    rmSync(folder, { recursive: true });
    expect((await other.ok('keys list --json')).json()).toMatchObject([{ name: 'one' }]);
    expect((await other.ok('audit verify')).stdout).toContain('the chain is whole');
  });

  it('prints the SQL for administrators without a store', async () => {
    const cli = new Cli('postgres://nowhere.invalid/plant?schema=north');
    expect((await cli.ok('postgres-roles')).stdout).toContain('grant usage on schema "north" to hkctl_admin');
    expect((await cli.ok('postgres-citus --json')).json().sql).toContain(
      "create_distributed_table('north.readings', 'entity'",
    );
  });
});
