import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { parseLocation } from '../../../../../src/store/postgres/address/location.ts';
import { copyRowsToServer } from '../../../../../src/store/postgres/connection/copy.ts';
import { PooledDatabase } from '../../../../../src/store/postgres/connection/database.ts';
import { startServer } from '../../../../store/postgres/server.ts';

const server = await startServer();
afterAll(() => server.stop());

const limits = { connectMs: 1000, answerMs: 800, suspectMs: 100 };
const databases: PooledDatabase[] = [];
afterAll(async () => {
  for (const database of databases.splice(0)) await database.close();
});

function databaseOf(address = server.address): PooledDatabase {
  const database = new PooledDatabase(parseLocation(address, {}), limits);
  databases.push(database);
  return database;
}

/** Freezes the server while something is done. */
async function whileFrozen<T>(work: () => Promise<T>): Promise<T> {
  await server.freeze();
  try {
    return await work();
  } finally {
    await server.thaw();
  }
}

describe('a server that hangs', () => {
  it('lets a daemon refuse all transactions, also those that wait for a connection', async () => {
    const database = databaseOf();
    await database.startDaemon(limits);
    const sleeping = Array.from({ length: 30 }, () =>
      database
        .transaction((session) => session.run('select pg_sleep(60)'))
        .catch((thrown: { code?: string }) => thrown.code),
    );
    await pause(300);
    const codes = await whileFrozen(async () => {
      // What a request does, by which a daemon notices that nobody answers.
      const asked = database.lane('gate').query('select 1');
      await expect(asked).rejects.toMatchObject({ code: 'store_unreachable' });
      return Promise.race([Promise.all(sleeping), pause(3000).then(() => 'some still wait')]);
    });
    expect(codes).toEqual(sleeping.map(() => 'store_unreachable'));
  });

  it('ends the copying of rows', async () => {
    const database = databaseOf();
    let thawed: Promise<void> | undefined;
    const rows = async function* () {
      for (let piece = 0; ; piece++) {
        // A pause of the source is no fault of the server.
        if (piece === 3) await pause(1000);
        if (piece === 5) {
          await server.freeze();
          thawed = pause(3000).then(() => server.thaw());
        }
        yield 'a row\n'.repeat(10_000);
      }
    };
    const beganAt = performance.now();
    const copied = database.transaction(
      async (session) => {
        await session.run('create temporary table t (a text) on commit drop');
        return copyRowsToServer(session, 'copy t from stdin', rows());
      },
      { idleMs: 0 },
    );
    await expect(copied).rejects.toMatchObject({
      code: 'store_unreachable',
      message: expect.stringContaining('it does not answer'),
    });
    expect(performance.now() - beganAt).toBeLessThan(3900);
    await thawed;
  });

  it('ends no long work while it answers other connections', async () => {
    const database = databaseOf();
    const long = database.transaction(
      (session) => session.query('select pg_sleep(1.5), 1 as done'),
      {
        idleMs: 0,
      },
    );
    expect(await long).toMatchObject([{ done: 1 }]);
  });

  it('ends no statement of a command while it works on that', async () => {
    const database = databaseOf();
    const long = 'select pg_sleep(1.5), 1 as done';
    expect(await database.query(long)).toMatchObject([{ done: 1 }]);
    expect(await database.lane('largeReads').query(long)).toMatchObject([{ done: 1 }]);
    const asked = database.query(long);
    await pause(300);
    await whileFrozen(() =>
      expect(asked).rejects.toMatchObject({
        code: 'store_unreachable',
        message: expect.stringContaining('it does not answer'),
      }),
    );
  });

  it('does not keep a process from closing its connections', async () => {
    const database = databaseOf();
    await database.transaction((session) => session.run('select 1'));
    await database.query('select 1');
    const closed = await whileFrozen(() =>
      Promise.race([database.close().then(() => 'closed'), pause(5000).then(() => 'waits')]),
    );
    expect(closed).toBe('closed');
  });
});
