import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { resources } from '../../../../src/resources/index.ts';
import {
  initialVersion,
  schemaVersion,
} from '../../../../src/store/postgres/schema/schema-version.ts';
import { tableName } from '../../../../src/store/tables/record-names.ts';
import { newDatabase } from '../databases.ts';

async function rowsOf(address: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

it('has the version that the number of migrations gives', () => {
  const files = readdirSync(join(process.cwd(), 'migrations', 'postgres')).filter((name) =>
    name.endsWith('.sql'),
  );
  expect(initialVersion + files.length - 1).toBe(schemaVersion);
});

it('has everything in its own schema, and every table whose rows belong to an entity begins its keys with it', async () => {
  const address = await newDatabase('store');
  const tables = await rowsOf(
    address,
    `select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`,
  );
  expect(new Set(tables.map(({ nspname }) => nspname))).toEqual(new Set(['hkctl']));
  const owned = new Set(
    (
      await rowsOf(
        address,
        "select attrelid::regclass::text as name from pg_attribute where attname = 'entity' and attrelid in (select oid from pg_class where relkind = 'r')",
      )
    ).map(({ name }) => name),
  );
  for (const resource of resources) expect(owned).toContain(`hkctl.${tableName(resource)}`);
  for (const name of ['series', 'readings', 'heartbeats']) expect(owned).toContain(`hkctl.${name}`);
  const unfit = await rowsOf(
    address,
    `select i.indrelid::regclass::text as on, i.indexrelid::regclass::text as index from pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attname = 'entity'
      where i.indkey[0] <> a.attnum and i.indrelid in (select oid from pg_class where relkind = 'r')`,
  );
  expect(unfit).toEqual([]);
});

it('compares keys byte by byte, whatever the locale of the database is', async () => {
  const address = await newDatabase('store');
  const others = await rowsOf(
    address,
    `select a.attrelid::regclass::text as table, a.attname as column from pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
      join pg_class c on c.oid = i.indrelid join pg_collation k on k.oid = a.attcollation
      where c.relnamespace = 'hkctl'::regnamespace and k.collname <> 'C' and c.relname not in ('audit', 'generations', 'marks', 'daemons', 'limit_counts')`,
  );
  expect(others).toEqual([]);
});
