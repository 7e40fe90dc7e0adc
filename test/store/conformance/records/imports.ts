import fc from 'fast-check';
import { expect, it } from 'vitest';
import { orders } from '../../../../src/resources/jobs-and-orders.ts';
import { parts } from '../../../../src/resources/projects-and-settings.ts';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import { propertyRuns } from '../../../properties.ts';
import { plantIn } from '../../stores.ts';
import type { Given } from '../given.ts';
import {
  idsOf,
  importInto,
  laterUs,
  pageOf,
  partRow,
  partRows,
  readAll,
} from './stored-records.ts';

/** What every engine does with an import. */
export function importConformance(given: Given): void {
  it('counts what an import does, and moves updated_at with a change only', async () => {
    const { store, plant } = await given();
    expect(await importInto(store, plant, parts, partRows(250))).toEqual({
      inserted: 250,
      updated: 0,
      unchanged: 0,
      removed: 0,
    });
    const changed = [
      partRow(0, { name: 'Changed' }),
      partRow(5, { category: 'now one' }),
      ...partRows(252).slice(250),
    ];
    const rows = [
      ...changed,
      ...partRows(20).filter(({ id }) => id !== 'P-0000' && id !== 'P-0005'),
    ];
    expect(await importInto(store, plant, parts, rows, { nowUs: laterUs })).toEqual({
      inserted: 2,
      updated: 2,
      unchanged: 18,
      removed: 0,
    });
    const since = {
      field: 'updated_at',
      op: 'from' as const,
      value: '2026-11-20T08:15:00.000001Z',
    };
    const moved = await readAll(
      store,
      pageOf(plant, { conditions: [since], orderBy: 'updated_at' }),
    );
    expect(moved.map(({ id, updated_at }) => [id, updated_at])).toEqual(
      ['P-0000', 'P-0005', 'P-0250', 'P-0251'].map((id) => [id, '2026-11-20T08:15:00.000007Z']),
    );
    expect((await store.audit.list(plant.tenant.id, { limit: 1 }))[0]).toMatchObject({
      action: 'records.import',
      detail: { inserted: 2 },
    });
  });

  it('removes with `replace` what is not in the file, in its own entity and resource only', async () => {
    const { store, plant } = await given();
    const other = await plantIn(store, 'Beta');
    for (const one of [plant, other]) await importInto(store, one, parts, partRows(30));
    const summary = await importInto(store, plant, parts, partRows(10), { replace: true });
    expect(summary).toEqual({ inserted: 0, updated: 0, unchanged: 10, removed: 20 });
    expect(await idsOf(store, pageOf(plant))).toHaveLength(10);
    expect(await idsOf(store, pageOf(other))).toHaveLength(30);
    expect(await importInto(store, plant, parts, [], { replace: true })).toMatchObject({
      removed: 10,
    });
  });

  it('refuses a code that is the id of another sensor, of the file or the store, and says in which line', async () => {
    const { store, plant } = await given();
    const rows = (...named: [id: string, code: string][]) =>
      named.map(([id, code]) => ({ id, code, name: 'S', is_active: true }));
    const refusal = (line: number, value: string) => ({
      violations: [
        {
          line,
          field: 'code',
          value,
          rule: `must not be the id of another record, and "${value}" is one`,
        },
      ],
    });
    const load = (...named: [string, string][]) =>
      importInto(store, plant, sensors, rows(...named));
    await expect(load(['1', 'A'], ['2', '1'])).rejects.toMatchObject(refusal(3, '1'));
    // Its own id is no other's.
    expect(await load(['1', '1'], ['2', 'B'])).toMatchObject({ inserted: 2 });
    await expect(load(['3', '2'])).rejects.toMatchObject(refusal(2, '2'));
    await expect(load(['B', 'C'])).rejects.toMatchObject(refusal(2, 'B'));
    expect(await load(['2', 'D'], ['B', 'C'])).toMatchObject({ inserted: 1, updated: 1 });
    const other = await plantIn(store, 'Beta');
    expect(await importInto(store, other, sensors, rows(['3', '2']))).toMatchObject({
      inserted: 1,
    });
  });

  it('asks before the commit, with the counts, and what is thrown then undoes it', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, parts, partRows(30));
    const asked: unknown[] = [];
    const confirm = async (summary: unknown) => {
      asked.push(summary);
      expect(await idsOf(store, pageOf(plant))).toHaveLength(30);
      throw new Error('no');
    };
    await expect(importInto(store, plant, parts, [], { replace: true, confirm })).rejects.toThrow(
      'no',
    );
    expect(asked).toEqual([{ inserted: 0, updated: 0, unchanged: 0, removed: 30 }]);
    expect(await idsOf(store, pageOf(plant))).toHaveLength(30);
    expect(await importInto(store, plant, parts, [], { replace: true })).toMatchObject({
      removed: 30,
    });
  });

  it('reports on a dry run what would change, and changes nothing but the trail', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, parts, partRows(10));
    const before = await readAll(store, pageOf(plant));
    const rows = [partRow(1, { name: 'Other' }), partRow(900)];
    const summary = await importInto(store, plant, parts, rows, {
      dryRun: true,
      replace: true,
      nowUs: laterUs,
    });
    expect(summary).toEqual({ inserted: 1, updated: 1, unchanged: 0, removed: 9 });
    const fresh = await plantIn(store, 'Beta');
    expect(await importInto(store, fresh, orders, [], { dryRun: true })).toMatchObject({
      inserted: 0,
    });
    expect(await readAll(store, pageOf(plant))).toEqual(before);
  });

  it('undoes all of an import that ends in an error, its event too', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, parts, partRows(10));
    const before = await readAll(store, pageOf(plant));
    const seq = await store.audit.lastSeq();
    const broken = function* () {
      yield* partRows(300).map((row) => ({ ...row, name: 'Other' }));
      throw new Error('the file broke off');
    };
    await expect(importInto(store, plant, parts, broken())).rejects.toThrow('the file broke off');
    const fresh = await plantIn(store, 'Beta');
    await expect(importInto(store, fresh, parts, broken())).rejects.toThrow('the file broke off');
    expect(await readAll(store, pageOf(plant))).toEqual(before);
    expect(await readAll(store, pageOf(fresh))).toEqual([]);
    expect(await store.audit.lastSeq()).toBe(seq + 1);
  });

  it.each([
    ['an empty entity', 0],
    ['one with records', 5],
  ])('names the lines of an id that stands twice, in %s', async (_, count) => {
    const { store, plant } = await given();
    if (count > 0) await importInto(store, plant, parts, partRows(count));
    const rows = [...partRows(150), partRow(3), partRow(140)];
    await expect(importInto(store, plant, parts, rows)).rejects.toMatchObject({
      code: 'bad_input',
      violationCount: 2,
      violations: [
        { line: 152, field: 'id', value: 'P-0003', rule: expect.stringContaining('line 5') },
        { line: 153, field: 'id', value: 'P-0140', rule: expect.stringContaining('line 142') },
      ],
    });
    expect(await idsOf(store, pageOf(plant))).toHaveLength(count);
  });

  it('names each row whose id came before, wherever it stands, and no other', async () => {
    const { store, plant } = await given();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 150 }),
        fc.integer({ min: 1, max: 70 }),
        async (numbers, batch) => {
          const firstLine = new Map<number, number>();
          const expected: unknown[] = [];
          numbers.forEach((number, index) => {
            const line = index + 2;
            const first = firstLine.get(number);
            if (first === undefined) firstLine.set(number, line);
            else
              expected.push({
                line,
                value: partRow(number).id,
                rule: `is already in line ${first}; an id may occur once in a file`,
              });
          });
          const imported = importInto(
            store,
            plant,
            parts,
            numbers.map((number) => partRow(number)),
            { batch, dryRun: true },
          );
          if (expected.length === 0) {
            expect(await imported).toMatchObject({ inserted: numbers.length });
            return;
          }
          await expect(imported).rejects.toMatchObject({
            violationCount: expected.length,
            violations: expected.slice(0, 20),
          });
        },
      ),
      propertyRuns(60),
    );
    expect(await readAll(store, pageOf(plant))).toEqual([]);
  });

  it('keeps every value in its column, however many columns hold the same in all rows of a batch', async () => {
    const { store } = await given();
    const choices = [null, 'A', 'B'];
    let plants = 0;
    const row = fc.record({
      name: fc.constantFrom('N', 'M'),
      part_number: fc.constantFrom('1', '2'),
      revision: fc.constantFrom(...choices),
      is_active: fc.boolean(),
      category: fc.constantFrom(...choices),
      material: fc.constantFrom(...choices),
      weight_kg: fc.constantFrom(null, 0, 1.5),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 80 }),
        fc.integer({ min: 1, max: 70 }),
        async (rows, batch) => {
          const plant = await plantIn(store, `Plant ${plants++}`);
          const named = rows.map((values, n) => ({
            ...values,
            id: `P-${String(n).padStart(4, '0')}`,
          }));
          // Into nothing, and once more over what is there.
          await importInto(store, plant, parts, named, { batch });
          expect(await readAll(store, pageOf(plant))).toMatchObject(named);
          const turned = named.map((values, n) => ({
            ...named[named.length - 1 - n],
            id: values.id,
          }));
          await importInto(store, plant, parts, turned, { batch });
          expect(await readAll(store, pageOf(plant))).toMatchObject(turned);
        },
      ),
      propertyRuns(30),
    );
  });
}
