import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { importFields } from '../../../../src/core/fields/fields.ts';
import { resources } from '../../../../src/resources/index.ts';
import { draftOf, nowMs, type Plant, plantIn } from '../../stores.ts';
import { newDatabase, onServer } from '../databases.ts';
import { opened } from '../opened.ts';

const [resource] = resources.filter(({ name }) => name === 'parts');

async function rowsOf(address: string, table: string): Promise<number> {
  const client = new Client({ connectionString: address });
  await client.connect();
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from hkctl.${table}`,
  );
  await client.end();
  return rows[0]?.n ?? -1;
}

/** A store with two records of an entity whose removal was interrupted after its first commit, and another entity. */
async function interrupted() {
  const address = await newDatabase('store');
  const store = await opened(address, false);
  const plant = await plantIn(store);
  const importParts = (entityId: string, ids: readonly string[]) =>
    importInto(store, plant, entityId, ids);
  const gone = { ...plant.entity, id: randomUUID(), code: 'CHI' };
  await store.entities.insert(gone, draftOf(plant.tenant.id, 'entity.add', 'CHI'));
  await importParts(gone.id, ['P-1', 'P-2']);
  await onServer(
    address,
    `delete from hkctl.entities where id = '${gone.id}'`,
    `insert into hkctl.purges (entity_id) values ('${gone.id}')`,
  );
  return { address, store, plant, importParts };
}

async function importInto(
  store: Awaited<ReturnType<typeof opened>>,
  { tenant }: Plant,
  entityId: string,
  ids: readonly string[],
): Promise<void> {
  if (!resource) throw new Error('there are parts');
  const names = Object.keys(importFields(resource));
  const values: Record<string, unknown> = {
    name: 'x',
    revision: 'A',
    unit: 'pcs',
    is_active: true,
  };
  const columns = names.map((name) =>
    ids.map((id) => (name === 'id' || name === 'part_number' ? id : (values[name] ?? null))),
  );
  await store.records.import({
    resource,
    entityId,
    rows: [{ lines: ids.map((_, n) => n + 1), columns }],
    replace: false,
    dryRun: false,
    nowUs: nowMs * 1000,
    audit: () => draftOf(tenant.id, 'records.import', 'parts'),
  });
}

it('a removal that was interrupted is completed by a daemon, and by the next import', async () => {
  const one = await interrupted();
  expect([await rowsOf(one.address, 'parts'), await rowsOf(one.address, 'purges')]).toEqual([2, 1]);
  await one.store.entities.finishRemovals?.();
  expect([await rowsOf(one.address, 'parts'), await rowsOf(one.address, 'purges')]).toEqual([0, 0]);

  const other = await interrupted();
  await other.importParts(other.plant.entity.id, ['P-3']);
  expect([await rowsOf(other.address, 'parts'), await rowsOf(other.address, 'purges')]).toEqual([
    1, 0,
  ]);
});

it('a removal that another process completes at the moment is left to that', async () => {
  const { address, store } = await interrupted();
  const client = new Client({ connectionString: address });
  await client.connect();
  await client.query('begin; select * from hkctl.purges for update');
  await store.entities.finishRemovals?.();
  await client.end();
  expect([await rowsOf(address, 'parts'), await rowsOf(address, 'purges')]).toEqual([2, 1]);
});
