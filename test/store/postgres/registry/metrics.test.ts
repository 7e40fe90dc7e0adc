import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { metricsStatements } from '../../../../src/store/postgres/registry/metrics.ts';
import type { RegistryStatement } from '../../../../src/store/shared/registry/statements.ts';
import { nowMs, plantIn, postgresStore } from '../../stores.ts';
import { newDatabase } from '../databases.ts';

let address: string;
let client: Client;
beforeAll(async () => {
  address = await newDatabase('store');
  client = new Client({ connectionString: address });
  await client.connect();
  await client.query('set search_path = hkctl');
  const store = await postgresStore(address);
  const { tenant, user } = await plantIn(store);
  await client.query(
    `insert into keys (id, tenant_id, prefix, secret_hash, name, permissions, created_by,
        created_at_ms, revoked_at_ms, expires_at_ms)
      select 'key ' || n, $1, 'hk_' || n, 'hash ' || n, 'Gateway', '[]', $2, 0,
        case when n <= 50000 then 1 end, case when n > 130000 then 1 end
      from generate_series(1, 150000) as numbers (n)`,
    [tenant.id, user.id],
  );
  await store.close();
  // The server then knows how many keys have which values, as it does by itself after a while.
  await client.query('analyze');
});
afterAll(() => client.end());

it('facts for monitoring are read by index: no statement sorts keys, or reads those of another status', async () => {
  await client.query('set enable_seqscan = off; set enable_bitmapscan = off');
  const planOf = async (statement: RegistryStatement<object>) => {
    const { text, valuesOf } = statement();
    const values = valuesOf({ nowMs: 1 }).map((value) => `'${value}'`);
    await client.query(`prepare facts as ${text}`);
    const { rows } = await client.query(
      `explain (costs off) execute facts${values.length > 0 ? `(${values.join(', ')})` : ''}`,
    );
    await client.query('deallocate facts');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  const { counted, nextExpiries } = metricsStatements;
  const ofCounts = await planOf(counted);
  expect(ofCounts).toMatch(/Index Only Scan using keys_/);
  expect(ofCounts).toMatch(/Index (Only )?Scan using keys_(newest_live|live_)/);
  expect(ofCounts).toMatch(/Scan using keys_live_expiring.*\n.*tenant_id = .*expires_at_ms <=/);
  expect(ofCounts).toContain('Scan using marks_pkey');
  const expiring = await planOf(nextExpiries);
  // Only the few found in each tenant are sorted.
  expect(expiring.match(/Sort Key/g)).toHaveLength(1);
  expect(expiring).toMatch(
    /Limit\n.*Scan using keys_live_expiring.*\n.*tenant_id = .*expires_at_ms >/,
  );
});

// A limit of 100,000 made such a store report that no key was revoked.
it('keys are counted in full: 150,000 with 50,000 revoked and 20,000 expired', async () => {
  const store = await postgresStore(address);
  expect((await store.metrics?.read(nowMs))?.keys).toEqual({
    active: 80_000,
    expired: 20_000,
    revoked: 50_000,
  });
  await store.close();
});
