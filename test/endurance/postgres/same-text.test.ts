import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordPosition } from '../../../src/core/port/records.ts';
import type { Store } from '../../../src/core/port/store.ts';
import type { ResourceDefinition } from '../../../src/core/records/fields.ts';
import { demoRecords } from '../../../src/demo/records.ts';
import { resources } from '../../../src/resources/index.ts';
import { parts } from '../../../src/resources/projects-and-settings/parts.ts';
import { decimalText } from '../../../src/store/postgres/records/decimal-text.ts';
import { importInto } from '../../store/conformance/records/stored-records.ts';
import { type Plant, plantIn, postgresStore, temporaryStore } from '../../store/stores.ts';

let sides: { store: Store; plant: Plant }[];
beforeAll(async () => {
  sides = [];
  for (const store of [await temporaryStore(), await postgresStore()])
    sides.push({ store, plant: await plantIn(store) });
});
afterAll(async () => {
  for (const { store } of sides) await store.close();
});

/** The pages of a resource as text, and where each ends. */
async function pagesOf({ store, plant }: (typeof sides)[number], resource: ResourceDefinition) {
  const pages: unknown[] = [];
  for (let after: RecordPosition | null | undefined; after !== null; ) {
    const request = { resource, entityId: plant.entity.id, conditions: [], orderBy: 'id', limit: 7 };
    const page = await store.records.page({ ...request, after });
    pages.push(page);
    after = page.next;
  }
  return pages;
}

async function importBoth(resource: ResourceDefinition, rows: readonly Record<string, unknown>[]) {
  const options = { replace: true };
  for (const { store, plant } of sides) await importInto(store, plant, resource, rows, options);
}

describe('the same records have the same text as on SQLite', () => {
  it.each(
    [...demoRecords(resources, { seed: 7, today: '2026-11-20' })].map((drawn) => [drawn.resource.name, drawn] as const),
  )('%s of the demo', async (_, { resource, records }) => {
    await importBoth(resource, records);
    const [sqlite, postgres] = await Promise.all(sides.map((side) => pagesOf(side, resource)));
    expect(postgres).toEqual(sqlite);
    for (const { id } of records.slice(0, 5)) {
      const [one, other] = await Promise.all(
        sides.map(({ store, plant }) => store.records.get(resource, plant.entity.id, String(id))),
      );
      expect(other).toBe(one);
    }
  });

  it('whatever its texts and numbers are', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 }).map((given) => given.replaceAll('\0', '').toWellFormed());
    // What 13 digits express, as measured values and sums of money do.
    const decimal = fc.double({ noNaN: true, min: 1, max: 1e15 }).map((any) => Number(any.toPrecision(13)));
    const row = fc.record({
      name: fc.oneof(
        text,
        fc.constantFrom('\t', '\\N', '\\.', '"', '\\', '\n', '\r\n', '\u007f', '\u0001', '\u2028', ''),
      ),
      part_number: text,
      is_active: fc.boolean(),
      category: fc.option(text),
      weight_kg: fc.option(fc.oneof(decimal, fc.constantFrom(0, 1e16, 1e17, 123456789012345680, 1e-4, 1e-5, 0.1, 100))),
      standard_cost: fc.option(fc.integer({ min: -1e6, max: 1e6 }).map((cents) => cents / 100)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 40 }), async (rows) => {
        await importBoth(
          parts,
          rows.map((values, n) => ({ id: `P-${n}`, ...values })),
        );
        const [sqlite, postgres] = await Promise.all(sides.map((side) => pagesOf(side, parts)));
        expect(postgres).toEqual(sqlite);
      }),
      { numRuns: 40 },
    );
  });

  it('in the same order of ids', async () => {
    const ids = ['a', 'B', 'ä', 'Z', '_', '-', '1', '10', '2', 'é', '\u{1F600}', '\uFFFD', 'a b', 'A'];
    await importBoth(
      parts,
      ids.map((id) => ({ id, name: 'n', part_number: 'p', is_active: true })),
    );
    const [sqlite, postgres] = await Promise.all(sides.map((side) => pagesOf(side, parts)));
    expect(postgres).toEqual(sqlite);
  });
});

it('a decimal is written so that the double is the same', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(decimalText(value))).toBe(value === 0 ? 0 : value);
    }),
  );
  expect([5, 0.1 + 0.2, 1e17, 1.5e-7, -2.5, 0.0001, 12345678901234568].map(decimalText)).toEqual([
    '5.0',
    '0.30000000000000004',
    '1.0e+17',
    '1.5e-07',
    '-2.5',
    '0.0001',
    '12345678901234568.0',
  ]);
});
