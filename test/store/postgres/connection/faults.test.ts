import { Client } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { engineAt } from '../../../../src/store/open.ts';
import { parseLocation } from '../../../../src/store/postgres/address/location.ts';
import { PooledDatabase } from '../../../../src/store/postgres/connection/database.ts';
import { draftOf, storeOptions } from '../../stores.ts';
import { addressOf, newDatabase, onServer } from '../databases.ts';
import { until } from '../opened.ts';
import { sharedServer } from '../shared-server.ts';

const options = { ...storeOptions, clock: Date.now };
const open = async (address: string) => {
  const store = await engineAt(address, options).open();
  await store.close();
};
const server = await sharedServer(inject('postgresFolder'));

/** The address with another user. */
function as(address: string, user: string): string {
  return address.replace(/^(postgres(?:ql)?:\/\/)[^@/]*@/, `$1${user}@`);
}

describe('a store that cannot be opened', () => {
  it('is reported by one clear sentence', async () => {
    const store = await newDatabase('store');
    const empty = await newDatabase();
    const foreign = await newDatabase();
    await onServer(foreign, 'create schema hkctl', 'create table hkctl.theirs (a int)');
    const newer = await newDatabase('store');
    await onServer(newer, 'update hkctl.store_version set version = 1000');
    const latin = `hkctl_test_latin_${Date.now()}`;
    await onServer(
      server,
      `create database ${latin} encoding 'LATIN1' locale 'C' template template0`,
    );
    const cases: [string, string, string][] = [
      [addressOf(server, 'no_such_database'), 'store_absent', 'There is no database'],
      [addressOf(server, latin), 'store_unreadable', 'another encoding than UTF8'],
      [empty, 'store_absent', 'There is no store at'],
      [`${store}&schema=other`, 'store_absent', 'There is no store at'],
      [foreign, 'store_corrupt', 'holds tables, but not those of a store of hkctl'],
      [newer, 'store_too_new', 'was made by a newer hkctl (schema 1000)'],
      [as(store, 'nobody_here'), 'store_unreadable', 'refused the log-in'],
      [
        'postgres://localhost:1/d?sslmode=disable',
        'store_unreachable',
        'No PostgreSQL server can be reached',
      ],
      ['postgres:///d?host=/nowhere', 'store_unreachable', 'No PostgreSQL server can be reached'],
      ['postgres://nowhere.invalid/d', 'store_unreachable', 'No PostgreSQL server can be reached'],
    ];
    for (const [address, code, message] of cases) {
      await expect(open(address), address).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message),
      });
    }
  });

  it('is not made where something else is, or where the rights are missing, and nothing is left behind', async () => {
    const foreign = await newDatabase();
    await onServer(foreign, 'create schema hkctl', 'create table hkctl.theirs (a int)');
    await expect(engineAt(foreign, options).create()).rejects.toMatchObject({
      code: 'store_corrupt',
    });
    const empty = await newDatabase();
    await onServer(
      empty,
      'do $$ begin create role hkctl_test_poor login; exception when duplicate_object then null; end $$',
    );
    await expect(engineAt(as(empty, 'hkctl_test_poor'), options).create()).rejects.toMatchObject({
      code: 'store_unreadable',
    });
    const failing = engineAt(empty, options).create(() => {
      throw new Error('it failed on the way');
    });
    await expect(failing).rejects.toThrow('it failed on the way');
    await expect(open(empty)).rejects.toMatchObject({
      code: 'store_absent',
      message: expect.stringContaining('no store'),
    });
    const store = await newDatabase('store');
    await expect(engineAt(store, options).create()).rejects.toMatchObject({
      code: 'already_initialised',
    });
    await expect(open(as(store, 'hkctl_test_poor'))).rejects.toMatchObject({
      code: expect.stringMatching(/^store_/),
    });
  });

  it('is one for two processes that create it at once', async () => {
    const empty = await newDatabase();
    const results = await Promise.allSettled(
      [1, 2, 3].map(() => engineAt(empty, options).create()),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ code: 'already_initialised' });
      else await result.value.close();
    }
  });
});

describe('a store that fails while it is open', () => {
  it('reports an internal error of the server as such, as Citus gives it where a worker is away', async () => {
    const failing = `do $$ begin raise exception 'failure on connection marked as essential' using errcode = 'XX000'; end $$`;
    const database = new PooledDatabase(parseLocation(await newDatabase(), {}));
    await expect(database.transaction((session) => session.run(failing))).rejects.toMatchObject({
      code: 'store_unreachable',
      message: expect.stringContaining('a worker of Citus cannot be reached'),
    });
    await database.close();
  });

  it('keeps no connection that was still being made when it was closed, which would keep the process from its end', async () => {
    const address = await newDatabase();
    const database = new PooledDatabase(parseLocation(`${address}&application_name=late`, {}));
    const asked = database.query('select 1').catch(() => {});
    await database.close();
    await asked;
    const other = new PooledDatabase(parseLocation(address, {}));
    const open = () => other.query("select from pg_stat_activity where application_name = 'late'");
    expect(await until(open, ({ length }) => length === 0)).toEqual([]);
    await other.close();
  });

  it('reports statements that took too long or may not write, and works again afterwards', async () => {
    const address = await newDatabase('store');
    const database = address.replace(/^.*@\/([^?]*).*$/, '$1');
    const other = addressOf(address, 'postgres');
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`;
    await onServer(other, `alter database ${database} set statement_timeout = '100ms'`);
    const store = await engineAt(address, options).open();
    const append = async (target: string) =>
      store.audit.append({ ...draftOf('none', 'key.list', target), tenantId: null, actor: null });
    const holder = new Client({ connectionString: address });
    await holder.connect();
    await holder.query('begin; select * from hkctl.audit_head for update');
    await expect(append('waits')).rejects.toMatchObject({
      code: 'store_locked',
      message: expect.stringContaining('statement_timeout'),
    });
    await holder.end();
    await onServer(other, `alter database ${database} reset statement_timeout`);
    await onServer(other, `alter database ${database} set default_transaction_read_only = on`, cut);
    await expect(append('on a lost connection')).rejects.toMatchObject({
      code: 'store_unreachable',
    });
    await expect(append('read-only')).rejects.toMatchObject({
      code: 'store_unreachable',
      message: expect.stringContaining('read-only'),
    });
    await onServer(other, `alter database ${database} reset default_transaction_read_only`);
    await append('works again');
    const [last, before] = await store.audit.list('none', { limit: 2, ofStore: true });
    expect([last?.target, before]).toEqual(['works again', undefined]);
    await store.close();
  });
});
