import { expect, it } from 'vitest';
import { parseLocation } from '../../../../src/store/postgres/address/location.ts';
import { PostgresSession } from '../../../../src/store/postgres/connection/session.ts';
import { newDatabase } from '../databases.ts';

it('a connection ends where an answer takes too long, unless a statement may take its time', async () => {
  const location = parseLocation(await newDatabase(), {});
  const session = await PostgresSession.open(location, { silentMs: 400, connectTimeoutMs: 5000 });
  session.isLong = true;
  await session.run('select pg_sleep(1.2)');
  expect(session.isOpen).toBe(true);
  session.isLong = false;
  await expect(session.run('select pg_sleep(30)')).rejects.toMatchObject({
    code: 'store_unreachable',
  });
  expect(session.isOpen).toBe(false);
});
