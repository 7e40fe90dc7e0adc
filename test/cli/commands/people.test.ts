import { beforeEach, describe, expect, it } from 'vitest';
import { Cli, type KeyJson } from '../harness.ts';
import { auditTrail } from './audit-trail.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

async function result(secret: string): Promise<[number, string | undefined]> {
  const { code, stdout } = await cli.run('keys verify --json', { input: secret });
  return [code, stdout === '' ? undefined : JSON.parse(stdout).reason];
}

describe('users and entities', () => {
  it('deactivating a user stops the keys it made, and reactivating lets them work again', async () => {
    const { secret } = await cli.key('A', ['--as', 'entity_admin']);
    expect(await result(secret)).toEqual([0, null]);
    const { stdout } = await cli.ok('users deactivate entity_admin --yes');
    expect(stdout).toContain('One active key stopped working: A (hk_');
    expect(await result(secret)).toEqual([5, 'creator_inactive']);
    await cli.ok('users activate entity_admin');
    expect(await result(secret)).toEqual([0, null]);
  });

  it('deactivating an entity stops its keys, and no key can be made for it', async () => {
    const { secret, key } = await cli.key('A');
    await cli.ok('entities deactivate BER --yes');
    expect(await result(secret)).toEqual([5, 'entity_inactive']);
    const refused = await cli.run(
      'keys create --name B --entity BER --preset sensor-gateway --json',
    );
    expect([refused.code, refused.error().code]).toEqual([5, 'entity_inactive']);
    expect((await cli.show(key.id)).status).toBe('Active');
    await cli.ok('entities activate BER');
    expect(await result(secret)).toEqual([0, null]);
  });

  it('reports only keys that really stop or work again', async () => {
    const { key } = await cli.key('A', ['--as', 'entity_admin']);
    const report = async (line: string) =>
      (await cli.ok(line)).stdout.trim().replace(/^[^.]*\. /, '');
    const a = `A (${key.prefix}).`;
    expect(await report('users deactivate entity_admin --yes')).toBe(
      `One active key stopped working: ${a}`,
    );
    expect(await report('users deactivate entity_admin --yes')).toBe('No active key stopped.');
    expect(await report('entities deactivate BER --yes')).toBe('No active key stopped.');
    expect(await report('users activate entity_admin')).toBe('No more keys work than before.');
    expect(await report('entities activate BER')).toBe(`One active key works again: ${a}`);
    expect(await report('entities activate BER')).toBe('No more keys work than before.');
    expect(await report('entities remove BER --yes')).toBe(`One active key stopped working: ${a}`);
    expect(await report('users deactivate entity_admin --yes')).toBe('No active key stopped.');
  });

  it('removing an entity leaves its keys listed and refused', async () => {
    const { secret, key } = await cli.key('A');
    await cli.ok('entities remove BER --yes');
    expect(await result(secret)).toEqual([5, 'entity_missing']);
    expect((await cli.ok('keys list --json')).json()).toEqual([
      { ...key, entity: null, refused: 'entity_missing' },
    ]);
    expect((await cli.run(['keys', 'rotate', key.prefix, '--yes'])).code).toBe(5);
    await cli.ok(['keys', 'revoke', key.prefix, '--yes']);
  });

  it('never loses the last active Super user', async () => {
    expect((await cli.run('users deactivate root --yes')).code).toBe(5);
    // Nobody is asked first whether they are sure of what is refused anyway.
    expect((await cli.run('users deactivate root')).code).toBe(5);
    expect((await cli.run('users set-role root operator')).code).toBe(5);
    await cli.ok('users set-role operator super_user');
    await cli.ok('users deactivate root --yes');
    expect((await cli.run('users set-role operator manager', { osAccount: 'operator' })).code).toBe(
      5,
    );
  });

  it('refuses duplicates: exit 5', async () => {
    await cli.ok('tenants add Other --admin other');
    for (const line of [
      'users add operator --name X --role operator',
      'users add other --name X --role operator',
      'entities add BER --name X --timezone UTC',
      'entities add ber --name X --timezone UTC',
      'entities add Chi --name X --timezone UTC',
      'tenants add Third --admin root',
    ]) {
      const result = await cli.run(`${line} --json`);
      expect([line, result.code, result.error().code]).toEqual([line, 5, 'duplicate']);
    }
    expect((await cli.run('init --org A --entity B --entity-name C --timezone UTC')).code).toBe(5);
  });

  it('names what is not there: exit 3', async () => {
    for (const line of [
      'users activate nobody',
      'entities activate NONE',
      'entities set NONE --name X',
      'keys show hk_none0',
      'keys create --name A --entity NONE --preset sensor-gateway',
      'sensors show X --entity BER',
      'keys list --entity NONE',
    ]) {
      expect([line, (await cli.run(line)).code]).toEqual([line, 3]);
    }
  });

  it('gives JSON as the contract has it', async () => {
    expect((await cli.ok('entities list --json')).json()).toContainEqual({
      id: expect.any(String),
      code: 'BER',
      name: 'Berlin plant',
      timezone: 'Europe/Berlin',
      status: 'active',
      keys: 0,
    });
    expect((await cli.ok('users list --json')).json()).toContainEqual({
      id: expect.any(String),
      login: 'operator',
      name: 'The operator',
      role: 'operator',
      status: 'active',
    });
    expect((await cli.ok('tenants set --week-start sunday --json')).json()).toMatchObject({
      name: 'Acme',
      week_start: 'sunday',
    });
  });
});

describe('keys', () => {
  it('expire by themselves, and cannot be rotated or revoked then', async () => {
    const { key, secret } = await cli.key('A', ['--expires', '1d']);
    cli.nowMs += 86_400_000 - 1;
    expect(await result(secret)).toEqual([0, null]);
    cli.nowMs += 1;
    expect(await result(secret)).toEqual([5, 'key_expired']);
    expect((await cli.show(key.id)).status).toBe('Expired');
    for (const verb of ['rotate', 'revoke']) {
      const { code, stderr } = await cli.run(['keys', verb, key.id, '--yes']);
      expect([code, stderr]).toEqual([5, expect.stringContaining('is Expired')]);
    }
    expect((await cli.ok('keys list --json')).json()).toEqual([]);
    expect((await cli.ok('keys list --status expired --json')).json()).toHaveLength(1);
  });

  it('that expire are listed soonest first, and no more than --limit', async () => {
    for (const days of [3, 1, 2]) {
      await cli.key(`in ${days}`, ['--expires', `${days}d`]);
      cli.nowMs += 1000;
    }
    const names = async (flags: string) =>
      (await cli.ok(`keys list --json name ${flags}`)).json<KeyJson[]>().map(({ name }) => name);
    expect(await names('--expiring-within 14d')).toEqual(['in 1', 'in 2', 'in 3']);
    expect(await names('--expiring-within 14d --limit 2')).toEqual(['in 1', 'in 2']);
    expect(await names('--limit 1')).toEqual(['in 2']);
    expect((await cli.run('keys list --limit 0')).code).toBe(2);
    const terminal = { columns: 100, rows: 30 };
    expect((await cli.run('keys list --limit 2', { terminal })).stdout).toContain('first 2 keys');
  });

  it('are filtered', async () => {
    await cli.key('old');
    cli.nowMs += 100 * 86_400_000;
    await cli.key('soon', ['--expires', '10d']);
    await cli.key('later', ['--expires', '60d', '--entity', 'CHI']);
    const names = async (flags: string) =>
      (await cli.ok(`keys list --json ${flags}`))
        .json<KeyJson[]>()
        .map(({ name }) => name)
        .sort();
    expect(await names('')).toEqual(['later', 'old', 'soon']);
    expect(await names('--expiring-within 14d')).toEqual(['soon']);
    expect(await names('--unused-for 90d')).toEqual(['old']);
    expect(await names('--older-than 90d')).toEqual(['old']);
    expect(await names('--entity CHI')).toEqual(['later']);
    expect(await names('--expiring-within 90d --entity BER')).toEqual(['soon']);
    await cli.ok([
      'keys',
      'revoke',
      (await cli.ok('keys list --json --older-than 90d')).json<KeyJson[]>()[0]?.id ?? '',
      '--yes',
    ]);
    expect(await names('--status revoked')).toEqual(['old']);
    expect(await names('--show-inactive')).toEqual(['later', 'old', 'soon']);
  });

  it('show their lineage to people, with who and when in the time zone of the entity', async () => {
    const { key } = await cli.key('A');
    const second = (await cli.ok(['keys', 'rotate', key.id, '--yes', '--json'])).json<{
      key: KeyJson;
    }>().key;
    const third = (
      await cli.ok(['keys', 'rotate', second.id, '--yes', '--json', '--as', 'entity_admin'])
    ).json<{
      key: KeyJson;
    }>().key;
    const { stdout } = await cli.ok(['keys', 'show', second.prefix]);
    const chain = stdout.slice(stdout.indexOf('Rotations'));
    expect([key, second, third].map(({ prefix }) => chain.indexOf(prefix))).toEqual(
      [...[key, second, third].map(({ prefix }) => chain.indexOf(prefix))].sort((a, b) => a - b),
    );
    expect(chain).toContain(`▸ ${second.prefix}`);
    expect(chain).toContain('by entity_admin');
    expect(stdout).toContain('2026-11-20 09:00:00');
  });

  it('verify reports unknown and incomplete secrets', async () => {
    const { secret } = await cli.key('A');
    expect((await cli.run('keys verify', { input: secret.slice(0, 8) })).code).toBe(5);
    expect((await cli.run('keys verify', { input: `${secret.slice(0, -1)}_` })).code).toBe(5);
    const other = await new Cli().seed();
    expect((await cli.run('keys verify', { input: (await other.key('B')).secret })).code).toBe(3);
  });
});

describe('the audit trail', () => {
  it('holds every change, and no secret', async () => {
    const { key, secret } = await cli.key('A');
    const next = (await cli.ok(['keys', 'rotate', key.id, '--yes', '--json'])).json<{
      secret: string;
      key: KeyJson;
    }>();
    await cli.ok(['keys', 'revoke', next.key.id, '--yes']);
    const records = await auditTrail(cli);
    expect(records.slice(0, 3).map(({ action, target }) => [action, target])).toEqual([
      ['key.revoke', next.key.prefix],
      ['key.rotate', key.prefix],
      ['key.create', key.prefix],
    ]);
    const exported = (await cli.ok('audit export')).stdout;
    expect(
      exported
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).seq),
    ).toEqual(records.map(({ seq }) => seq).reverse());
    for (const text of [exported, (await cli.ok('audit list --limit 1000')).stdout]) {
      expect(text).not.toContain(secret.slice(0, 12));
      expect(text).not.toContain(next.secret.slice(0, 12));
    }
  });

  it('is whole, and prints its head', async () => {
    const report = (await cli.ok('audit verify --json')).json<{
      ok: boolean;
      head_hash: string;
      records: number;
    }>();
    expect(report).toMatchObject({ ok: true, broken: null });
    await cli.key('A');
    await cli.ok(`audit verify --head ${report.head_hash}`);
    expect((await cli.run(`audit verify --head ${'0'.repeat(64)}`)).code).toBe(5);
  });
});
