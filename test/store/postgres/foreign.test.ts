import { describe, expect, inject, it } from 'vitest';
import { findingOfSchema } from '../../../src/core/operations/doctor-store.ts';
import { engineAt } from '../../../src/store/open.ts';
import { storeOptions } from '../stores.ts';
import { newDatabase, onServer } from './databases.ts';
import { sharedServer } from './shared-server.ts';

const options = { ...storeOptions, clock: Date.now };
const server = await sharedServer(inject('postgresFolder'));

describe('a schema with something that is not of a store', () => {
  it('is reported by doctor, which names triggers and views', async () => {
    const address = await newDatabase('store');
    await onServer(
      address,
      'create function public.fire() returns trigger language plpgsql as $$ begin return new; end $$',
      'create trigger more before insert on hkctl.audit execute function public.fire()',
      'create view hkctl.recent as select * from hkctl.audit',
    );
    expect(await findingOfSchema(await engineAt(address, options).inspect())).toMatchObject({
      code: 'store_corrupt',
      detail: expect.stringContaining('a trigger more on audit (store); the view recent (store).'),
    });
    await onServer(address, 'drop trigger more on hkctl.audit', 'drop view hkctl.recent');
    expect(await findingOfSchema(await engineAt(address, options).inspect())).toMatchObject({
      status: 'ok',
    });
  });

  it('holds a store nevertheless, if what is there belongs to an extension', async () => {
    const address = `${await newDatabase()}&schema=public`;
    await onServer(address, 'create extension if not exists pg_stat_statements schema public');
    const engine = engineAt(address, options);
    await (await engine.create()).close();
    await (await engine.open()).close();
    expect(await (await engine.inspect()).foreign()).toEqual([
      { database: 'store', tables: [], differences: [] },
    ]);
  });
});

describe('a log-in that may not make the tables of a store', () => {
  it.each([
    ['there is no schema', []],
    ['the schema is closed to it', ['create schema hkctl']],
    [
      'it may only look into the schema',
      ['create schema hkctl', 'grant usage on schema hkctl to ROLE'],
    ],
  ])('is told to grant rights if %s', async (_, prepare) => {
    const role = `hkctl_test_plain_${Date.now()}`;
    await onServer(server, `create role ${role} login`);
    const address = await newDatabase();
    await onServer(address, ...prepare.map((sql) => sql.replace('ROLE', role)));
    await expect(
      engineAt(address.replace('postgres@', `${role}@`), options).create(),
    ).rejects.toMatchObject({
      code: 'store_unreadable',
      message: expect.stringContaining('lacks rights that this needs on the PostgreSQL store'),
      hint: expect.stringContaining('hkctl postgres-roles'),
    });
    await onServer(address, `drop owned by ${role}`);
    await onServer(server, `drop role ${role}`);
  });
});
