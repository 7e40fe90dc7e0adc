import { Client } from 'pg';
import { expect, it } from 'vitest';
import { importFields } from '../../../../src/core/fields/fields.ts';
import { folded, type ImportBatch } from '../../../../src/core/fields/import-batch.ts';
import type { Store } from '../../../../src/core/port/store.ts';
import { parts } from '../../../../src/resources/projects-and-settings.ts';
import { draftOf, nowMs, type Plant, plantIn } from '../../stores.ts';
import { newDatabase } from '../databases.ts';
import { opened } from '../opened.ts';

const rowsInBatch = 500;
const names = Object.keys(importFields(parts));

/** Batches of parts with these numbers; the line of a part is two more than its place. */
function* batchesOf(numbers: readonly number[]): Generator<ImportBatch> {
  for (let at = 0; at < numbers.length; at += rowsInBatch) {
    const rows = numbers.slice(at, at + rowsInBatch).map((number) => ({
      id: `P-${number}`,
      name: `Part\t${number}\\`,
      part_number: `N-${number}`,
      is_active: true,
      weight_kg: number / 8,
    }));
    yield {
      lines: rows.map((_, row) => at + row + 2),
      columns: names.map((name) =>
        folded(rows.map((row) => Object.entries(row).find(([key]) => key === name)?.[1] ?? null)),
      ),
    };
  }
}

async function importInto(
  store: Store,
  { tenant, entity }: Plant,
  rows: AsyncIterable<ImportBatch> | Iterable<ImportBatch>,
) {
  return store.records.import({
    resource: parts,
    entityId: entity.id,
    replace: false,
    dryRun: false,
    nowUs: nowMs * 1000,
    rows,
    audit: () => draftOf(tenant.id, 'records.import', 'parts'),
  });
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

async function query<Row>(address: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query<Row & object>(text)).rows;
  } finally {
    await client.end();
  }
}

it('a first import goes straight into the table, and reports every repeated id with its lines as a later one does', async () => {
  const address = await newDatabase('store');
  const store = await opened(address, false);
  const plant = await plantIn(store, 'Alpha');
  // Repeats in the batch of the first one, in the next batch and in the last one.
  const numbers = upTo(20_000);
  numbers[700] = 5;
  numbers[1100] = 1099;
  numbers[19_999] = 5;
  const refused = {
    code: 'bad_input',
    violationCount: 3,
    violations: [
      { line: 702, value: 'P-5', rule: 'is already in line 7; an id may occur once in a file' },
      {
        line: 1102,
        value: 'P-1099',
        rule: 'is already in line 1101; an id may occur once in a file',
      },
      { line: 20_001, value: 'P-5', rule: 'is already in line 7; an id may occur once in a file' },
    ],
  };
  await expect(importInto(store, plant, batchesOf(numbers))).rejects.toMatchObject(refused);
  expect(await query(address, 'select count(*)::int as n from hkctl.parts')).toEqual([{ n: 0 }]);
  expect(await importInto(store, plant, batchesOf(upTo(20_000)))).toMatchObject({
    inserted: 20_000,
  });
  await expect(importInto(store, plant, batchesOf(numbers))).rejects.toMatchObject(refused);
  expect(await importInto(store, plant, batchesOf(upTo(20_001)))).toMatchObject({
    inserted: 1,
    unchanged: 20_000,
  });
});

it('the columns of a first import and of a later one are the same', async () => {
  const address = await newDatabase('store');
  const store = await opened(address, false);
  const [first, later] = [await plantIn(store, 'Alpha'), await plantIn(store, 'Beta')];
  await importInto(store, first, batchesOf(upTo(1200)));
  await importInto(store, later, batchesOf([0]));
  await importInto(store, later, batchesOf(upTo(1200)));
  const columns = [...names, 'updated_at']
    .filter((name) => name !== 'updated_at')
    .map((name) => `"${name}"`)
    .join(', ');
  const differing = `select ${columns} from hkctl.parts where entity = 1 except select ${columns} from hkctl.parts where entity = 2`;
  expect(
    await query(
      address,
      'select entity, count(*)::int as n from hkctl.parts group by 1 order by 1',
    ),
  ).toEqual([
    { entity: 1, n: 1200 },
    { entity: 2, n: 1200 },
  ]);
  expect(await query(address, differing)).toEqual([]);
});

it('a first import that loses one of its two connections is refused, leaves nothing, and works the next time', async () => {
  const address = await newDatabase('store');
  const store = await opened(address, false);
  const plant = await plantIn(store, 'Alpha');
  for (const which of ['copy "parts"%', 'copy pg_temp.incoming%']) {
    const cut = async function* () {
      let batches = 0;
      for (const batch of batchesOf(upTo(20_000))) {
        yield batch;
        if (++batches !== 20) continue;
        const end = `select pg_terminate_backend(pid) as ended from pg_stat_activity
          where datname = current_database() and query like '${which}'`;
        expect(await query(address, end)).toEqual([{ ended: true }]);
      }
    };
    await expect(importInto(store, plant, cut()), which).rejects.toMatchObject({
      code: 'store_unreachable',
    });
    expect(await query(address, 'select count(*)::int as n from hkctl.parts')).toEqual([{ n: 0 }]);
  }
  expect(await importInto(store, plant, batchesOf(upTo(20_000)))).toMatchObject({
    inserted: 20_000,
  });
});
