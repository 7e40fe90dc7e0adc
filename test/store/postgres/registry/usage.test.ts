import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { usageStatements } from '../../../../src/store/postgres/registry/usage.ts';
import { newDatabase } from '../databases.ts';

let client: Client;
beforeAll(async () => {
  client = new Client({ connectionString: await newDatabase('store') });
  await client.connect();
});
afterAll(() => client.end());

it('usage is read, merged and removed by index, also by a plan for any value', async () => {
  await client.query(`set search_path = hkctl; set plan_cache_mode = force_generic_plan;
    insert into key_usage select 20000 + n % 90, 'key ' || n, 'request', '', 1 from generate_series(1, 100000) as n;
    analyze key_usage`);
  const values: Record<keyof typeof usageStatements, string> = {
    ofKeys: "'{a}', 20000, 20089",
    rejectedOf: "20088, 20089, 'tenant'",
    usedInactive:
      "20088, 20089, 'key_revoked', 'key_expired', 'too_many_failed_checks', 1, 'tenant'",
    recordUses: "'{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}'",
    removeUsage: '20000, 20091',
  };
  for (const [name, statement] of Object.entries(usageStatements)) {
    const sql = typeof statement === 'string' ? statement : statement().text;
    await client.query(`prepare one as ${sql}`);
    const given = values[name as keyof typeof usageStatements]; // of that very object
    const { rows } = await client.query(`explain (costs off) execute one(${given})`);
    await client.query('deallocate one');
    expect(rows.map((row) => row['QUERY PLAN']).join('\n'), name).not.toMatch(
      /Seq Scan on key_usage|Bitmap Heap/,
    );
  }
});
