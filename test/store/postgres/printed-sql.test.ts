import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resources } from '../../../src/resources/index.ts';
import { sensors } from '../../../src/resources/sensor-lookup.ts';
import { engineAt } from '../../../src/store/open.ts';
import { citusSql, rolesSql, schemaOf } from '../../../src/store/postgres/printed-sql.ts';
import {
  initialVersion,
  schemaVersion,
} from '../../../src/store/postgres/schema/schema-version.ts';
import { atEndOfFile } from '../../ends.ts';
import { batchOf } from '../conformance/readings/readings.ts';
import { importInto } from '../conformance/records/stored-records.ts';
import { draftOf, newKey, nowMs, plantIn, storeOptions } from '../stores.ts';
import { addressOf, makeOlder, newDatabase, onServer } from './databases.ts';
import { opened } from './opened.ts';
import { startServer } from './server.ts';

const options = { ...storeOptions, clock: Date.now };

const folder = mkdtempSync(join(tmpdir(), 'hkctl-roles-'));
atEndOfFile(() => rmSync(folder, { recursive: true }));

/** The address with another user. */
function as(user: string, address: string): string {
  return address.replace(/^(postgres(?:ql)?:\/\/)[^@/]*@/, `$1${user}@`);
}

describe('the roles that hkctl postgres-roles prints', () => {
  it('are made on a managed server, whose administrator is no superuser', async () => {
    const server = await startServer();
    atEndOfFile(server.stop);
    await onServer(server.address, 'create role manager login createrole createdb');
    const manager = as('manager', server.address);
    await onServer(manager, 'create database plant template template0');
    const address = addressOf(manager, 'plant');
    const sql = rolesSql('hkctl');
    await onServer(address, sql);
    await (await engineAt(as('hkctl_owner', address), options).create()).close();
    await onServer(address, sql, sql);
    await plantIn(await opened(as('hkctl_admin', address), false));
    await opened(as('hkctl_daemon', address));
  });

  it('own what a superuser has made before, also of an older hkctl, so that hkctl_owner can migrate it', async () => {
    const address = await newDatabase('store');
    const plant = await plantIn(await opened(address, false));
    await makeOlder(address);
    const sql = rolesSql('hkctl');
    await onServer(address, sql, sql);
    const owner = engineAt(as('hkctl_owner', address), options);
    expect(await owner.migrate(undefined, { withoutBackup: true })).toEqual({
      applied: schemaVersion - initialVersion,
    });
    await onServer(address, sql);
    const admin = await opened(as('hkctl_admin', address), false);
    await admin.keys.insert(newKey(plant, 1), draftOf(plant.tenant.id, 'key.create', 'x'));
    const file = join(folder, 'of-owner.backup');
    await owner.backup(file, { nowMs, force: false });
    const hooks = { authorize: () => {}, confirm: async () => {}, audit: async () => {} };
    expect((await owner.restore(file, hooks)).facts).toMatchObject({ keys: 1 });
    await opened(as('hkctl_daemon', address));
  });

  it('are enough for owner, admin and daemon, and for nothing else', async () => {
    const address = await newDatabase();
    const sql = rolesSql('hkctl');
    const closed =
      "do $$ begin execute format('revoke all on database %I from public', current_database()); end $$";
    await onServer(address, closed, sql);
    await expect(engineAt(as('hkctl_admin', address), options).create()).rejects.toMatchObject({
      code: 'store_unreadable',
    });
    await (await engineAt(as('hkctl_owner', address), options).create()).close();
    await onServer(address, sql, sql);

    const admin = await engineAt(as('hkctl_admin', address), options).open();
    const plant = await plantIn(admin);
    const key = newKey(plant, 1);
    await admin.keys.insert(key, draftOf(plant.tenant.id, 'key.create', 'x'));
    const daemon = await engineAt(as('hkctl_daemon', address), options).open();
    await daemon.daemon.begin();
    await daemon.openAll();
    await daemon.daemon.recordAddress('http://daemon', 1);
    const used = {
      keyId: key.id,
      day: 5,
      kind: 'request',
      code: '',
      count: 1,
      lastAtMs: null,
      lastSensor: null,
      lastAddress: null,
    } as const;
    const usage = { counts: [used, { ...used, day: 4 }], kept: { first: 5, last: 5 } };
    await daemon.keys.recordUse(new Map([[key.id, { atMs: nowMs, ip: '192.0.2.1' }]]), usage);
    expect(await admin.usage.of([key.id], { first: 1, last: 9 })).toEqual([used]);
    await daemon.clock.merge({
      fromMs: 0,
      samples: { seenMs: nowMs, steadyStartMs: 1, candidateStartMs: 0, candidateUpMs: 0 },
    });
    expect(await daemon.keys.credential(key.secretHash)).toMatchObject({
      keyId: key.id,
      revokedAtMs: null,
    });
    expect((await daemon.audit.head()).count).toBe(2);
    const rows = [{ id: 'S-1', code: 'C-1', name: 'One', is_active: true }];
    await importInto(admin, plant, sensors, rows);
    await importInto(admin, plant, sensors, [{ ...rows[0], name: 'Two' }], { replace: true });
    const series = (await daemon.readings.directory(plant.entity.id)).get('C-1')?.series ?? 0;
    expect(await daemon.readings.append(batchOf([[series, 1, 1]]))).toMatchObject({ accepted: 1 });
    const beat = { series, atUs: 1, status: 'ok', battery: null, signal: null, firmware: null };
    expect(await daemon.readings.appendHeartbeats([beat])).toMatchObject({ accepted: 1 });
    expect(await daemon.records.get(sensors, plant.entity.id, 'S-1')).toContain('Two');
    expect(
      await daemon.readings.drop({
        entityId: plant.entity.id,
        untilUs: 3_600_000_000,
      }),
    ).toMatchObject({
      readings: 1,
    });
    const denied = { code: 'store_unreadable', message: expect.stringContaining('lacks rights') };
    await expect(async () =>
      daemon.keys.insert(newKey(plant, 2), draftOf(plant.tenant.id, 'key.create', 'y')),
    ).rejects.toMatchObject(denied);
    await expect(async () =>
      daemon.audit.append(draftOf(plant.tenant.id, 'key.list', 'y')),
    ).rejects.toMatchObject(denied);
    await admin.keys.revoke([key.id], plant.user.id, nowMs, [
      draftOf(plant.tenant.id, 'key.revoke', 'x'),
    ]);
    await admin.entities.remove(plant.entity.id, draftOf(plant.tenant.id, 'entity.remove', 'BER'));
    for (const statement of [
      'update hkctl.audit set target = target',
      'delete from hkctl.audit',
      'truncate hkctl.audit',
      'drop table hkctl.audit',
      'update hkctl.store_version set version = 7',
      'create table hkctl.foreign_table (a int)',
      'create schema theirs',
      "update hkctl.journal set line = ''",
      'delete from hkctl.generations',
      'set role hkctl_owner',
    ]) {
      await expect(onServer(as('hkctl_admin', address), statement), statement).rejects.toThrow(
        /permission denied|must be owner/,
      );
    }
    for (const statement of [
      'update hkctl.keys set name = name',
      'update hkctl.readings set value = 0',
      'delete from hkctl.heartbeats',
      'update hkctl.generations set value = 1',
      "insert into hkctl.keys (id) values ('x')",
      'delete from hkctl.keys',
      'delete from hkctl.audit',
      "update hkctl.users set role = 'super_user'",
      'update hkctl.parts set name = name',
      'update hkctl.record_entities set entity_id = entity_id',
      'insert into hkctl.journal default values',
      'create temporary table t (a int)',
      'set role hkctl_admin',
    ]) {
      await expect(onServer(as('hkctl_daemon', address), statement), statement).rejects.toThrow(
        'permission denied',
      );
    }
    await daemon.close();
    await admin.close();
  });

  it('name the schema of the address, which cannot be anything else than a name', () => {
    expect(schemaOf('/var/lib/hkctl/hkctl.db', {})).toBe('hkctl');
    expect(schemaOf('postgres://h/d?schema=north', {})).toBe('north');
    expect(() => schemaOf('postgres://h/d?schema=north;drop', {})).toThrow('schema');
    expect(rolesSql('north')).toContain('grant usage, create on schema "north" to hkctl_owner;');
  });
});

describe('the SQL that hkctl postgres-citus prints', () => {
  it('distributes by entity exactly the tables that have one', async () => {
    const address = await newDatabase('store');
    const named = [
      ...citusSql('hkctl', resources).matchAll(/create_distributed_table\('([^']+)', 'entity'/g),
    ].map((match) => match[1]);
    const check = `do $$ begin
      if (select array_agg(attrelid::regclass::text order by attrelid::regclass::text collate "C") from pg_attribute a join pg_class c on c.oid = a.attrelid
          where attname = 'entity' and relkind = 'r') <> '{${[...named].sort().join(',')}}'::text[] then raise exception 'another set of tables'; end if; end $$`;
    await onServer(address, check);
    expect(named[0]).toBe('hkctl.readings');
  });
});
