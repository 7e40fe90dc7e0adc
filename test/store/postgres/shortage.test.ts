import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { parseLocation } from '../../../src/store/postgres/address/location.ts';
import { PooledDatabase } from '../../../src/store/postgres/connection/database.ts';
import { newDatabase, onServer } from './databases.ts';
import { sharedServer } from './shared-server.ts';

const server = await sharedServer(inject('postgresFolder'));
const made: string[] = [];
afterAll(() => onServer(server, ...made.map((role) => `drop role ${role}`)));

/** The address of a new database for a new role with settings of its own. */
async function asRole(...settings: string[]): Promise<{ address: string; role: string }> {
  const role = `hkctl_test_${randomBytes(4).toString('hex')}`;
  const address = await newDatabase();
  await onServer(server, `create role ${role} login`, ...settings.map((setting) => `alter role ${role} ${setting}`));
  made.push(role);
  return { address: address.replace(/postgres@/, `${role}@`), role };
}

describe('a log-in that may have few connections', () => {
  it('makes do with those that are open', async () => {
    const { address } = await asRole('connection limit 3');
    const database = new PooledDatabase(parseLocation(address, {}));
    await database.query('first', 'select 1');
    const sleeping = Array.from({ length: 6 }, () =>
      database.transaction((session) => session.query('sleeps', 'select pg_sleep(0.1), 1 as done')),
    );
    for (const rows of await Promise.all(sleeping)) expect(rows).toMatchObject([{ done: 1 }]);
    const refused = new PooledDatabase(parseLocation(address, {}));
    await expect(refused.query('asks', 'select 1')).rejects.toMatchObject({
      code: 'store_unreachable',
      message: expect.stringContaining('has no connection'),
    });
    await database.close();
    expect(await refused.query('asks', 'select 1 as a')).toEqual([{ a: 1 }]);
    await refused.close();
  });
});

describe('a log-in whose statements may take 50 ms', () => {
  it('is held to that, but not in long work', async () => {
    const { address } = await asRole(
      "set statement_timeout = '50ms'",
      "set idle_in_transaction_session_timeout = '50ms'",
    );
    const database = new PooledDatabase(parseLocation(address, {}));
    const sleep = 'select pg_sleep(0.2), 1 as done';
    const short = database.transaction((session) => session.query('sleeps', sleep));
    await expect(short).rejects.toMatchObject({
      code: 'store_locked',
      message: expect.stringContaining('longer than statement_timeout allows'),
    });
    const long = database.transaction((session) => session.query('sleeps', sleep), { idleMs: 0 });
    expect(await long).toMatchObject([{ done: 1 }]);
    await database.close();
  });
});
