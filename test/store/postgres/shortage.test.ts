import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { importFields } from '../../../src/core/fields/fields.ts';
import { folded } from '../../../src/core/fields/import-batch.ts';
import { parts } from '../../../src/resources/projects-and-settings.ts';
import { engineAt } from '../../../src/store/open.ts';
import { parseLocation } from '../../../src/store/postgres/address/location.ts';
import { PooledDatabase } from '../../../src/store/postgres/connection/database.ts';
import { atEndOfFile } from '../../ends.ts';
import { draftOf, plantIn, storeOptions } from '../stores.ts';
import { newDatabase, onServer } from './databases.ts';
import { until } from './opened.ts';
import { startServer } from './server.ts';
import { sharedServer } from './shared-server.ts';

const server = await sharedServer(inject('postgresFolder'));
const made: string[] = [];
afterAll(() => onServer(server, ...made.map((role) => `drop role ${role}`)));

/** The number of rows that a query returns. */
async function askServer(text: string, ...values: string[]): Promise<number | null> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    return (await client.query(text, values)).rowCount;
  } finally {
    await client.end();
  }
}

/** The address of a new database for a new role with settings of its own. */
async function asRole(...settings: string[]): Promise<{ address: string; role: string }> {
  const role = `hkctl_test_${randomBytes(4).toString('hex')}`;
  const address = await newDatabase();
  await onServer(
    server,
    `create role ${role} login`,
    ...settings.map((setting) => `alter role ${role} ${setting}`),
  );
  made.push(role);
  return { address: address.replace(/postgres@/, `${role}@`), role };
}

describe('a log-in that may have few connections', () => {
  it('makes do with those that are open', async () => {
    const { address, role } = await asRole('connection limit 3');
    const database = new PooledDatabase(parseLocation(address, {}));
    await database.query('select 1');
    const sleep = async () => {
      const sleeping = Array.from({ length: 6 }, () =>
        database.transaction((session) => session.query('select pg_sleep(0.1), 1 as done')),
      );
      for (const rows of await Promise.all(sleeping)) expect(rows).toMatchObject([{ done: 1 }]);
      return askServer('select from pg_stat_activity where usename = $1', role);
    };
    // A connection that took longer to open than the others to sleep was not needed.
    expect(await until(sleep, (open) => open === 3)).toBe(3);
    const refused = new PooledDatabase(parseLocation(address, {}));
    await expect(refused.query('select 1')).rejects.toMatchObject({
      code: 'store_unreachable',
      message: expect.stringContaining('has no connection'),
    });
    await database.close();
    expect(await refused.query('select 1 as a')).toEqual([{ a: 1 }]);
    await refused.close();
  });
});

describe('work that needs a second connection while it has one', () => {
  it('is refused after a while where the log-in may have no more, instead of waiting for itself', async () => {
    const { address } = await asRole('connection limit 1');
    const database = new PooledDatabase(parseLocation(address, {}));
    await database.query('select 1');
    const inner = () => database.transaction((session) => session.run('select 1'));
    await expect(database.transaction(inner)).rejects.toMatchObject({
      code: 'store_unreachable',
      message: expect.stringContaining('has no connection left'),
    });
    await database.close();
  });

  it('is an import, for which three connections are enough', async () => {
    const { address, role } = await asRole('connection limit 3');
    await onServer(
      server,
      `grant create on database ${parseLocation(address, {}).database} to ${role}`,
    );
    await (await engineAt(address, storeOptions).create()).close();
    const store = await engineAt(address, storeOptions).open();
    const plant = await plantIn(store);
    const columns = Object.keys(importFields(parts)).map((name) => {
      return folded([
        /^(id|name|part_number)$/.test(name) ? 'x' : name === 'is_active' ? true : null,
      ]);
    });
    const imported = store.records.import({
      resource: parts,
      entityId: plant.entity.id,
      replace: false,
      dryRun: false,
      nowUs: Date.now() * 1000,
      rows: [{ lines: [2], columns }],
      audit: () => draftOf(plant.tenant.id, 'records.import', 'parts'),
    });
    expect(await imported).toMatchObject({ inserted: 1 });
    await store.close();
    await onServer(address.replace(role, 'postgres'), `drop owned by ${role}`);
  });
});

describe('a shortage of connections', () => {
  it('is reported as one of the log-in, of the database or of the server', async () => {
    const refusal = async (address: string) => {
      const database = new PooledDatabase(parseLocation(address, {}));
      const thrown: unknown = await database.query('select 1').catch((reason: unknown) => reason);
      await database.close();
      expect(thrown).toMatchObject({
        code: 'store_unreachable',
        hint: expect.stringContaining('for each daemon'),
      });
      return String(thrown);
    };
    const limited = await asRole('connection limit 0');
    expect(await refusal(limited.address)).toContain('The log-in at the PostgreSQL store');
    const { address } = await asRole();
    const name = parseLocation(address, {}).database;
    await onServer(server, `alter database ${name} connection limit 0`);
    expect(await refusal(address)).toContain('The database of the PostgreSQL store');
    const small = await startServer([
      'max_connections=5',
      'superuser_reserved_connections=1',
      'max_wal_senders=0',
    ]);
    await onServer(small.address, 'create role plain login');
    const ofServer = small.address.replace('postgres@', 'plain@');
    const holders = Array.from({ length: 4 }, () => new Client({ connectionString: ofServer }));
    for (const holder of holders) await holder.connect();
    expect(await refusal(ofServer)).toContain('The PostgreSQL server of the store');
    await Promise.all(holders.map((holder) => holder.end()));
    await small.stop();
  });
});

describe('a log-in with limits of time', () => {
  it('keeps its connections while they wait, and waits longer for locks', async () => {
    const { address } = await asRole(
      "set idle_session_timeout = '100ms'",
      "set lock_timeout = '1ms'",
    );
    const database = new PooledDatabase(parseLocation(address, {}));
    const pid = () => database.query<{ pid: number }>('select pg_backend_pid() as pid');
    const before = await pid();
    await pause(400);
    expect(await pid()).toEqual(before);
    expect(await database.query("select current_setting('lock_timeout') as value")).toEqual([
      { value: '5s' },
    ]);
    await database.close();
  });

  it('has its long work done, and no other', async () => {
    // The shared server may be older than PostgreSQL 17, the first that has this limit.
    const newest = await startServer();
    atEndOfFile(newest.stop);
    await onServer(
      newest.address,
      'create role limited login',
      "alter role limited set transaction_timeout = '150ms'",
    );
    const limited = newest.address.replace('postgres@', 'limited@');
    const database = new PooledDatabase(parseLocation(limited, {}));
    const sleep = (idleMs: number) =>
      database.transaction((session) => session.query('select pg_sleep(0.4), 1 as done'), {
        idleMs,
      });
    await expect(sleep(10_000)).rejects.toMatchObject({ code: 'store_unreachable' });
    expect(await sleep(0)).toMatchObject([{ done: 1 }]);
    await database.close();
  });
});

describe('a log-in whose statements may take 500 ms', () => {
  it('is held to that, but not in long work', async () => {
    const { address } = await asRole(
      // A busy machine may need more than a tenth of a second between two statements.
      "set statement_timeout = '500ms'",
      "set idle_in_transaction_session_timeout = '500ms'",
    );
    const database = new PooledDatabase(parseLocation(address, {}));
    const sleep = 'select pg_sleep(0.8), 1 as done';
    const short = database.transaction((session) => session.query(sleep));
    await expect(short).rejects.toMatchObject({
      code: 'store_locked',
      message: expect.stringContaining('longer than statement_timeout allows'),
    });
    const long = database.transaction((session) => session.query(sleep), { idleMs: 0 });
    expect(await long).toMatchObject([{ done: 1 }]);
    await database.close();
  });
});
