import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { engineAt } from '../../../src/store/open.ts';
import { parseLocation } from '../../../src/store/postgres/address/location.ts';
import { citusSql } from '../../../src/store/postgres/operations/citus.ts';
import { rolesSql } from '../../../src/store/postgres/operations/roles.ts';
import { plantIn, storeOptions } from '../stores.ts';
import { newDatabase, onServer } from './databases.ts';
import { sharedServer } from './shared-server.ts';

const options = { ...storeOptions, clock: Date.now };
const server = await sharedServer(inject('postgresFolder'));
const folder = mkdtempSync(join(tmpdir(), 'hkctl-foreign-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Functions of somebody else, each of which leaves a row behind when it runs; `nextval` is not undone by a rollback. */
const enemy = [
  'create schema enemy',
  'create sequence enemy.runs',
  'grant usage on schema enemy to public',
  'grant all on sequence enemy.runs to public',
  `create function enemy.run() returns boolean language plpgsql as $$ begin perform nextval('enemy.runs'); return true; end $$`,
  `create function enemy.run(text) returns boolean language plpgsql immutable as $$ begin perform nextval('enemy.runs'); return true; end $$`,
  `create function enemy.fire() returns trigger language plpgsql as $$ begin perform nextval('enemy.runs'); return new; end $$`,
];

/** Whether anything of `enemy` has run. */
async function hasRun(address: string): Promise<boolean> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query<{ is_called: boolean }>('select is_called from enemy.runs')).rows[0]?.is_called ?? false;
  } finally {
    await client.end();
  }
}

/** What somebody may put into the schema of a store, and how it is named. */
const foreign: readonly [what: string, sql: string, named: string][] = [
  ['a trigger', 'create trigger evil before insert on audit execute function enemy.fire()', 'a trigger evil on audit'],
  ['a rule', 'create rule evil as on insert to audit do also select enemy.run()', 'a rule evil on audit'],
  ['a policy', 'create policy evil on keys using (enemy.run())', 'a policy evil on keys'],
  ['row security', 'alter table keys enable row level security', 'row security on keys'],
  [
    'a view in place of the version',
    'alter table store_version rename to v; create view store_version as select 2 as version where enemy.run()',
    'the view store_version',
  ],
  ['a materialised view', 'create materialized view evil as select 1', 'the view evil'],
  ['a table that inherits', 'create table enemy.more () inherits (keys)', 'the table more, which inherits from keys'],
  [
    'a function that fits better',
    'create function format(text, name, name) returns text language sql as $$ select enemy.run()::text $$',
    'the function format',
  ],
  [
    'an operator that fits better',
    `create function same(oid, regnamespace) returns boolean language sql as $$ select enemy.run() $$;
      create operator = (leftarg = oid, rightarg = regnamespace, function = same)`,
    'the operator =',
  ],
  ['a domain', 'create domain evil as text check (enemy.run(value))', 'the type evil'],
  [
    'a column of another type',
    'create domain enemy.checked as text check (enemy.run(value)); alter table keys alter column name type enemy.checked',
    'in the definition of keys',
  ],
  ['a check', 'alter table users add check (enemy.run(role))', 'in the definition of users'],
  ['a default', 'alter table audit alter column detail set default enemy.run()', 'in the definition of audit'],
  ['an index on a function', 'create index evil on parts (enemy.run(name))', 'in the definition of evil'],
];

describe('a store with something foreign in its schema', () => {
  it.each(foreign)('%s is refused by every command and named, and nothing of it is run', async (_, sql, named) => {
    const address = await newDatabase('store');
    const engine = engineAt(address, options);
    const store = await engine.open();
    await plantIn(store);
    await store.close();
    const backup = join(folder, 'plant.backup');
    await engine.backup(backup, { nowMs: Date.now(), force: true });
    await onServer(address, ...enemy, `set search_path = hkctl; ${sql}`);
    // Its definition reads the rows that are there.
    await onServer(address, 'alter sequence enemy.runs restart');
    const target = join(folder, 'tampered.backup');
    const refused = { code: 'store_corrupt', message: expect.stringContaining(named) };
    for (const use of [
      () => engine.open(),
      () => engine.migrate(),
      () => engine.create(),
      () => engine.backup(target, { nowMs: Date.now(), force: false }),
      () => engine.restore(backup, { confirm() {}, authorize() {}, audit() {} }),
    ]) {
      await expect(use(), String(use)).rejects.toMatchObject(refused);
    }
    const inspection = await engine.inspect();
    const [found] = await inspection.foreign();
    expect(found?.what).toContainEqual(expect.stringContaining(named));
    await inspection.versions();
    await inspection.sizeBytes();
    expect(await hasRun(address)).toBe(false);
    expect(readdirSync(folder)).toEqual(['plant.backup']);
  });

  it('that belongs to an extension is none', async () => {
    const address = `${await newDatabase()}&schema=public`;
    await onServer(address, 'create extension if not exists pg_stat_statements schema public');
    await (await engineAt(address, options).create()).close();
    await (await engineAt(address, options).open()).close();
  });
});

describe('a database that somebody else has prepared', () => {
  it('gets no store in a schema in which others may create functions', async () => {
    const role = `hkctl_test_enemy_${Date.now()}`;
    await onServer(server, `create role ${role}`);
    const addresses = await Promise.all([newDatabase(), newDatabase(), newDatabase()]);
    const [owned = '', granted = '', open = ''] = addresses;
    await onServer(owned, `create schema hkctl authorization ${role}`);
    await onServer(granted, 'create schema hkctl', `grant create on schema hkctl to ${role}`);
    await onServer(open, 'create schema hkctl', 'grant create on schema hkctl to public');
    for (const [address, name, mends] of [
      [owned, role, 'ALTER SCHEMA hkctl OWNER TO postgres'],
      [granted, role, `REVOKE CREATE ON SCHEMA hkctl FROM ${role}`],
      [open, 'PUBLIC', 'REVOKE CREATE ON SCHEMA hkctl FROM PUBLIC'],
    ] as const) {
      await expect(engineAt(address, options).create()).rejects.toMatchObject({
        code: 'store_unreadable',
        message: expect.stringContaining(`the rights of this log-in: ${name}.`),
        hint: `A superuser or the owner of the schema ends that with: ${mends}`,
      });
    }
    await onServer(owned, 'alter schema hkctl owner to postgres');
    await onServer(granted, `revoke create on schema hkctl from ${role}`);
    await onServer(open, 'revoke create on schema hkctl from public');
    for (const address of addresses) await (await engineAt(address, options).create()).close();
    const store = await newDatabase('store');
    await onServer(store, `grant create on schema hkctl to ${role}`);
    expect((await (await engineAt(store, options).inspect()).server?.())?.creators).toEqual([role]);
    for (const address of [...addresses, store]) await onServer(address, `drop owned by ${role}`);
    await onServer(server, `drop role ${role}`);
  });

  it('gets no store where the log-in may make none, and is named the SQL that permits it', async () => {
    const role = `hkctl_test_plain_${Date.now()}`;
    await onServer(server, `create role ${role} login`);
    const [none, closed] = [await newDatabase(), await newDatabase()];
    await onServer(closed, 'create schema hkctl');
    const name = parseLocation(none, {}).database;
    for (const [address, permits] of [
      [none, `database permits it with: GRANT CREATE ON DATABASE ${name} TO ${role}`],
      [closed, `schema permits it with: GRANT CREATE, USAGE ON SCHEMA hkctl TO ${role}`],
    ] as const) {
      const engine = engineAt(address.replace('postgres@', `${role}@`), options);
      await expect(engine.create()).rejects.toMatchObject({
        code: 'store_unreadable',
        hint: expect.stringContaining(permits),
      });
      await onServer(address, permits.slice(permits.indexOf('GRANT')));
      await (await engine.create()).close();
      await onServer(address, `drop owned by ${role}`);
    }
    await onServer(server, `drop role ${role}`);
  });

  it('runs nothing of its own where the SQL of roles and of Citus is run', async () => {
    const address = await newDatabase('store');
    await onServer(
      address,
      ...enemy,
      'create function public.format(text, name) returns text language sql as $$ select enemy.run()::text $$',
      `create function public.create_distributed_table(text, text, colocate_with text) returns boolean
        language sql as $$ select enemy.run() $$`,
    );
    await onServer(address, rolesSql('hkctl'));
    await expect(onServer(address, citusSql('hkctl', []).replace(/^create extension.*$/m, ''))).rejects.toThrow(
      'pg_catalog.create_distributed_table',
    );
    expect(await hasRun(address)).toBe(false);
  });
});
