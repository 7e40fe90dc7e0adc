import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResourceDefinition } from '../../../src/core/fields/fields.ts';
import { aggregates, type ReadingTextRequest } from '../../../src/core/port/readings.ts';
import type { RecordPosition } from '../../../src/core/port/records.ts';
import type { Store } from '../../../src/core/port/store.ts';
import { demoRecords } from '../../../src/demo/records.ts';
import { resources } from '../../../src/resources/index.ts';
import { parts } from '../../../src/resources/projects-and-settings.ts';
import { sensors } from '../../../src/resources/sensor-lookup.ts';
import { createDecimalWriter } from '../../../src/store/postgres/records/decimal-text.ts';
import { codePoint } from '../../code-points.ts';
import {
  batchOf,
  client,
  sensorRows,
  seriesOf,
} from '../../store/conformance/readings/readings.ts';
import { importInto } from '../../store/conformance/records/stored-records.ts';
import { type Plant, plantIn, postgresStore, temporaryStore } from '../../store/stores.ts';

interface Side {
  store: Store;
  plant: Plant;
}

let sides: Side[];
beforeAll(async () => {
  sides = [];
  for (const store of [await temporaryStore(), await postgresStore()])
    sides.push({ store, plant: await plantIn(store) });
});
afterAll(async () => {
  for (const { store } of sides) await store.close();
});

/** The pages of a resource as text, and where each ends. */
async function pagesOf({ store, plant }: Side, resource: ResourceDefinition) {
  const pages: unknown[] = [];
  for (let after: RecordPosition | null | undefined; after !== null; ) {
    const request = {
      resource,
      entityId: plant.entity.id,
      conditions: [],
      orderBy: 'id',
      limit: 7,
    };
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
    [...demoRecords(resources, { seed: 7, today: '2026-11-20' })].map(
      (drawn) => [drawn.resource.name, drawn] as const,
    ),
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
    const text = fc
      .string({ unit: codePoint, maxLength: 20 })
      .map((given) => given.replaceAll('\0', '').toWellFormed());
    // What 13 digits express, as measured values and sums of money do.
    const decimal = fc
      .double({ noNaN: true, min: 1, max: 1e15 })
      .map((any) => Number(any.toPrecision(13)));
    const row = fc.record({
      name: fc.oneof(
        text,
        fc.constantFrom(
          '\t',
          '\\N',
          '\\.',
          '"',
          '\\',
          '\n',
          '\r\n',
          '\u007f',
          '\u0001',
          '\u2028',
          '',
        ),
      ),
      part_number: text,
      is_active: fc.boolean(),
      category: fc.option(text),
      weight_kg: fc.option(
        fc.oneof(decimal, fc.constantFrom(0, 1e16, 1e17, 123456789012345680, 1e-4, 1e-5, 0.1, 100)),
      ),
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
    const ids = [
      'a',
      'B',
      'ä',
      'Z',
      '_',
      '-',
      '1',
      '10',
      '2',
      'é',
      '\u{1F600}',
      '\uFFFD',
      'a b',
      'A',
    ];
    await importBoth(
      parts,
      ids.map((id) => ({ id, name: 'n', part_number: 'p', is_active: true })),
    );
    const [sqlite, postgres] = await Promise.all(sides.map((side) => pagesOf(side, parts)));
    expect(postgres).toEqual(sqlite);
  });
});

describe('the same readings have the same text as on SQLite', () => {
  const hourUs = 3_600_000_000;
  const day = 24 * hourUs;
  // SQLite keeps no sign of zero.
  const value = fc.double({ noNaN: true, noDefaultInfinity: true }).map((any) => any + 0);
  const reading = fc.tuple(
    fc.integer({ min: -day, max: 10 * day }),
    value,
    fc.integer({ min: 0, max: 3 }),
  );

  /** All pages of a request: their text, where they end and what they were charged. */
  const read = async (store: Store, request: Omit<ReadingTextRequest, 'limit'>) => {
    const pages: string[] = [];
    let scanned = 0;
    for (let fromUs: number | null | undefined = request.fromUs; fromUs !== null; ) {
      const by = client();
      const page = await store.readings.text({ ...request, fromUs, limit: 4321 }, by);
      pages.push(`${Buffer.from(page.text)} ${page.count} ${page.nextUs}`);
      for (const one of by.charged) scanned += one;
      fromUs = page.nextUs;
    }
    // The engines add up hundredths in pieces of different lengths.
    return { pages, scanned: Math.round(scanned * 100) };
  };

  it('whatever their values are, in buckets of every width, also of hours that were dropped', async () => {
    for (const { store, plant } of sides) await importInto(store, plant, sensors, sensorRows(2));
    const drawn = fc.sample(
      fc.uniqueArray(reading, { selector: ([at]) => at, minLength: 9000, maxLength: 9000 }),
      1,
    );
    // Close together, as buckets of a second need them, and years apart.
    const dense = Array.from(
      { length: 9000 },
      (_, n) => [11 * day + n * 333_333, Math.sin(n) * n, n % 4] as const,
    );
    const rows = [...drawn.flat(), ...dense];
    const readAll = async ({ store, plant }: Side) => {
      const series = await seriesOf(store, plant, 'S-1');
      const texts: Awaited<ReturnType<typeof read>>[] = [];
      for (const format of ['json', 'ndjson', 'csv'] as const)
        texts.push(await read(store, { series, format }));
      for (const widthUs of [1_000_000, 7_000_000, hourUs, 7 * hourUs, day, 100 * day]) {
        const buckets = { widthUs, aggregates };
        texts.push(await read(store, { series, format: 'json', buckets }));
        texts.push(
          await read(store, { series, format: 'csv', buckets, fromUs: -hourUs, toUs: 3 * day + 1 }),
        );
      }
      return texts;
    };
    for (const { store, plant } of sides) {
      const series = await seriesOf(store, plant, 'S-1');
      await store.readings.append(batchOf(rows.map(([at, ...rest]) => [series, at, ...rest])));
    }
    const [sqlite, postgres] = [await readAll(sides[0] as Side), await readAll(sides[1] as Side)]; // two of two
    expect(
      sqlite.map(({ pages }) => pages.length).reduce((sum, one) => sum + one, 0),
    ).toBeGreaterThan(30);
    expect(postgres).toEqual(sqlite);
    for (const { store, plant } of sides) {
      const request = { entityId: plant.entity.id, untilUs: 4 * day };
      for (let position: number | null | undefined; position !== null; ) {
        position = (await store.readings.drop({ ...request, position })).next;
      }
    }
    const [later, afterwards] = [await readAll(sides[0] as Side), await readAll(sides[1] as Side)]; // two of two
    expect(later).not.toEqual(sqlite);
    expect(afterwards).toEqual(later);
  });
});

const decimalText = createDecimalWriter();

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
