import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newDatabase, onServer } from '../../../store/postgres/databases.ts';
import { Cli } from '../../harness.ts';

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
    for (const { stdout, stderr } of [made, again])
      expect(stdout + stderr).not.toContain('hunter2');
  });

  it('creates, rotates, revokes and verifies keys, and keeps the trail whole', async () => {
    const cli = new Cli(await newDatabase());
    await cli.ok(init);
    const { key, secret } = (
      await cli.ok('keys create --name one --entity BER --permission parts.view --json')
    ).json<Made>();
    expect((await cli.ok('keys verify', { input: secret })).code).toBe(0);
    const next = (await cli.ok(['keys', 'rotate', key.prefix, '--yes', '--json'])).json<
      Made & { revoked: unknown }
    >();
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
      (
        await cli.run('keys create --name x --entity BER --permission parts.view', {
          osAccount: 'ben',
        })
      ).code,
    ).toBe(4);
    expect((await cli.run('users deactivate root --yes')).code).toBe(5);
    await cli.ok('tenants add Beta --admin bob');
    expect((await cli.ok('keys list --all --json', { osAccount: 'bob' })).json()).toEqual([]);
    const actions = (await cli.ok('audit list --json'))
      .json<{ action: string }[]>()
      .map(({ action }) => action);
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

  it('is backed up by a log-in that may only read, which hears that nothing was noted of it', async () => {
    const address = await newDatabase();
    await new Cli(address).ok(init);
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-'));
    const [file, reader] = [
      join(folder, 'plant.backup'),
      `reader_${randomBytes(4).toString('hex')}`,
    ];
    await onServer(
      address,
      `create role ${reader} login; grant usage on schema hkctl to ${reader}`,
      `grant select on all tables in schema hkctl to ${reader}`,
    );
    const cli = new Cli(address.replace('postgres@', `${reader}@`));
    expect(await cli.run(['backup', file])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(
        `${file} is written and checked, but the audit trail could not note it: The log-in lacks rights`,
      ),
    });
    await onServer(address, `drop owned by ${reader}`, `drop role ${reader}`);
    const other = new Cli(await newDatabase());
    await other.ok(['restore', file, '--yes']);
    rmSync(folder, { recursive: true });
  });

  it('shows whatever the log-in of a daemon can have written, and backs it up', async () => {
    const address = await newDatabase();
    const cli = new Cli(address);
    await cli.ok(init);
    await cli.ok('import sensors - --format ndjson --entity BER', {
      input: '{"id":"S-1","code":"S1","name":"One","is_active":true}',
    });
    await cli.ok('keys create --name one --entity BER --permission parts.view --json');
    const [folder, nowMs] = [mkdtempSync(join(tmpdir(), 'hkctl-')), Date.now()];
    const file = join(folder, 'plant.backup');
    for (const number of [2n ** 63n - 1n, -(2n ** 63n)]) {
      await onServer(
        address,
        'set search_path = hkctl; delete from key_uses; delete from daemons; delete from marks; delete from drops',
        `insert into key_uses select id, ${number}, E'\\x1b' || repeat('x', 9999) from keys`,
        `insert into daemons (id, pid, since_ms, seen_at_ms, base_url) values ('x', 1, ${number}, ${nowMs}, 'http://[')`,
        `insert into marks select name, ${number} from unnest(array['clock_seen_ms', 'last_backup_ms']) as name`,
        `insert into drops select number, ${number} from record_entities`,
        `insert into readings select entity, series, ${number}, 1, 0 from series`,
        `insert into readings select entity, series, at, 'NaN', 0 from series, unnest(array[1, 2]) as at on conflict do nothing`,
        `insert into day_sums select entity, series, at, ${number}, 'x' from series, unnest(array[${number}, 0]) as at on conflict do nothing`,
        `insert into heartbeats select entity, series, ${number}, E'\\x1b[2J', 'NaN', 'NaN', '' from series`,
      );
      const commands = [
        'keys list',
        'keys list --json',
        'sensors list --entity BER',
        'sensors show S1 --entity BER',
      ];
      for (const line of [
        ...commands,
        'status',
        'status --json',
        'doctor',
        `backup ${file} --force`,
      ]) {
        const { code, stdout, stderr } = await cli.run(line);
        // What is silent or old needs a hand.
        expect(line.startsWith('status') ? [0, 5] : [0], `${line}: ${stderr}`).toContain(code);
        for (const part of ['\u001b', 'x'.repeat(99)]) expect(stdout).not.toContain(part);
      }
    }
    const other = new Cli(await newDatabase());
    await other.ok(['restore', file, '--yes']);
    rmSync(folder, { recursive: true });
    expect((await other.ok('keys list --json')).json()).toMatchObject([{ name: 'one' }]);
  });

  it('prints the SQL for administrators without a store', async () => {
    const cli = new Cli('postgres://nowhere.invalid/plant?schema=north');
    expect((await cli.ok('postgres-roles')).stdout).toContain(
      'grant usage on schema "north" to hkctl_admin',
    );
    expect((await cli.ok('postgres-citus --json')).json().sql).toContain(
      "create_distributed_table('north.readings', 'entity'",
    );
  });
});
