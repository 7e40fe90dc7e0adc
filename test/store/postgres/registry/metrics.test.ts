import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { metricsStatements } from '../../../../src/store/postgres/registry/metrics.ts';
import { newDatabase } from '../databases.ts';

let client: Client;
beforeAll(async () => {
  client = new Client({ connectionString: await newDatabase('store') });
});
afterAll(() => client.end());

it('facts for monitoring are read by index: no statement sorts keys, or reads those of another status', async () => {
  await client.connect();
  // What a server with many keys does by itself; that of the tests has none.
  await client.query(
    'set search_path = hkctl; set enable_seqscan = off; set enable_bitmapscan = off',
  );
  const planOf = async (sql: string) => {
    await client.query(`prepare facts as ${sql}`);
    const { rows } = await client.query(
      `explain (costs off) execute facts${sql.includes('$1') ? "('1')" : ''}`,
    );
    await client.query('deallocate facts');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  const { total, live, expired, next, lastBackup } = metricsStatements;
  expect(await planOf(total)).toMatch(/Limit\n.*Index Only Scan using keys_/);
  expect(await planOf(live)).toMatch(/Limit\n.*Index (Only )?Scan using keys_(newest_live|live_)/);
  expect(await planOf(expired)).toMatch(
    /Scan using keys_live_expiring.*\n.*tenant_id = .*expires_at_ms <=/,
  );
  const expiring = await planOf(next);
  // Only the few found in each tenant are sorted.
  expect(expiring.match(/Sort Key/g)).toHaveLength(1);
  expect(expiring).toMatch(
    /Limit\n.*Scan using keys_live_expiring.*\n.*tenant_id = .*expires_at_ms >/,
  );
  expect(await planOf(lastBackup)).toContain('Scan using marks_pkey');
});
