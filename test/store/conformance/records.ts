import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ImportSummary, RecordPageRequest, RecordPosition } from '../../../src/core/port/records.ts';
import type { Store } from '../../../src/core/port/store.ts';
import { importFields, keptLists, type ResourceDefinition } from '../../../src/core/records/fields.ts';
import { folded, type ImportBatch } from '../../../src/core/records/import-batch.ts';
import { orders } from '../../../src/resources/orders.ts';
import { parts } from '../../../src/resources/parts.ts';
import { draftOf, nowMs, type Plant, plantIn } from '../stores.ts';
import type { Given } from './given.ts';

type Values = Readonly<Record<string, unknown>>;

interface ImportOptions {
  replace?: boolean;
  dryRun?: boolean;
  nowUs?: number;
  /** How many rows a batch holds. */
  batch?: number;
}

/** Imports records, given by field name, into the entity of a plant. */
export function importInto(
  store: Store,
  { tenant, entity }: Plant,
  resource: ResourceDefinition,
  rows: Iterable<Values>,
  { replace = false, dryRun = false, nowUs = nowMs * 1000, batch = 100 }: ImportOptions = {},
): Promise<ImportSummary> {
  return store.records.import({
    resource,
    entityId: entity.id,
    replace,
    dryRun,
    nowUs,
    rows: inBatches(resource, rows, batch),
    audit: ({ inserted }) => ({ ...draftOf(tenant.id, 'records.import', resource.name), detail: { inserted } }),
  });
}

function* inBatches(resource: ResourceDefinition, rows: Iterable<Values>, size: number): Generator<ImportBatch> {
  const names = Object.keys(importFields(resource));
  const kept = keptLists(resource);
  let line = 1;
  let batch: Values[] = [];
  const toBatch = (): ImportBatch => ({
    lines: batch.map(() => ++line),
    columns: names.map((name) => {
      const absent = kept.includes(name) ? undefined : null;
      return folded(batch.map((row) => row[name] ?? absent));
    }),
  });
  for (const row of rows) {
    batch.push(row);
    if (batch.length < size) continue;
    yield toBatch();
    batch = [];
  }
  yield toBatch();
}

/** What every engine keeps of records, and how it pages through them. */
export function recordConformance(given: Given): void {
  const laterUs = nowMs * 1000 + 7;
  const partRow = (n: number, change: Values = {}) => ({
    id: `P-${String(n).padStart(4, '0')}`,
    name: `Part ${n}`,
    part_number: `PN-${n % 40}`,
    is_active: n % 3 !== 0,
    category: n % 5 === 0 ? null : `C${n % 5}`,
    weight_kg: n / 10,
    ...change,
  });
  const partRows = (count: number) => Array.from({ length: count }, (_, n) => partRow(n));

  const pageOf = (plant: Plant, change: Partial<RecordPageRequest> = {}): RecordPageRequest => ({
    resource: parts,
    entityId: plant.entity.id,
    conditions: [],
    orderBy: 'id',
    limit: 50,
    ...change,
  });
  const readAll = async (store: Store, request: RecordPageRequest) => {
    const records: Record<string, unknown>[] = [];
    let after: RecordPosition | undefined;
    do {
      const page = await store.records.page({ ...request, after });
      const read = JSON.parse(`[${page.json}]`);
      expect(read).toHaveLength(page.count);
      expect(page.count).toBeLessThanOrEqual(request.limit);
      records.push(...read);
      after = page.next ?? undefined;
    } while (after);
    return records;
  };
  const idsOf = async (store: Store, request: RecordPageRequest) => (await readAll(store, request)).map(({ id }) => id);

  it('shows a record as it was given, field by field, in order of declaration', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, parts, [partRow(1, { name: 'Ünïcödé "q" \\ \u2028 line\nbreak', material: '' })]);
    const json = await store.records.get(parts, plant.entity.id, 'P-0001');
    expect(Object.keys(JSON.parse(json ?? ''))).toEqual(['id', ...Object.keys(parts.fields), 'updated_at']);
    expect(JSON.parse(json ?? '')).toMatchObject({
      id: 'P-0001',
      name: 'Ünïcödé "q" \\ \u2028 line\nbreak',
      material: '',
      is_active: true,
      weight_kg: 0.1,
      revision: null,
      updated_at: '2026-11-20T08:15:00.000000Z',
    });
    expect(await store.records.get(parts, plant.entity.id, 'P-0002')).toBeUndefined();
    const other = await plantIn(store, 'Beta');
    expect(await store.records.get(parts, other.entity.id, 'P-0001')).toBeUndefined();
    expect(await store.records.page(pageOf(other))).toEqual({ json: '', count: 0, next: null });
  });

  it('shows lists of a record, and fields of detail only for a single one', async () => {
    const { store, plant } = await given();
    const services = [{ row_id: 'SVC-01', service_code: 'HT' }];
    await importInto(store, plant, orders, [{ id: 'O-1', order_number: '1', status: 'open', services }]);
    const one = JSON.parse((await store.records.get(orders, plant.entity.id, 'O-1')) ?? '');
    expect(one.services).toEqual(services);
    const [listed] = await readAll(store, pageOf(plant, { resource: orders }));
    expect(listed).toMatchObject({ id: 'O-1', order_number: '1' });
    expect('services' in (listed ?? {})).toBe(orders.fields.services.detail !== true);
  });

  it('pages through every record once, in order, in pages of any size', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, parts, partRows(237));
    const expected = partRows(237).map(({ id }) => id);
    for (const limit of [1, 50, 236, 237, 500]) {
      expect(await idsOf(store, pageOf(plant, { limit }))).toEqual(expected);
    }
  });

  it('visits what stays exactly once while records come and go', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, parts, partRows(100));
    const seen: unknown[] = [];
    let after: RecordPosition | undefined;
    for (let round = 0; round < 100; round++) {
      const page = await store.records.page(pageOf(plant, { limit: 10, after }));
      seen.push(...JSON.parse(`[${page.json}]`).map(({ id }: { id: string }) => id));
      if (!page.next) break;
      after = page.next;
      // What was seen goes, something new stands before, and the record of the position goes as well.
      const left = partRows(100).filter(({ id }) => !seen.includes(id));
      await importInto(store, plant, parts, [partRow(0, { id: `A-${round}` }), ...left], { replace: true });
    }
    expect(seen).toEqual(partRows(100).map(({ id }) => id));
  });

  it('filters by equality, alone and together', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, parts, partRows(200));
    const other = await plantIn(store, 'Beta');
    await importInto(store, other, parts, partRows(200));
    const matching = (test: (row: ReturnType<typeof partRow>) => boolean) =>
      partRows(200)
        .filter(test)
        .map(({ id }) => id);
    const eq = (field: string, value: string | boolean) => ({ field, op: 'eq' as const, value });
    const read = (...conditions: RecordPageRequest['conditions']) =>
      idsOf(store, pageOf(plant, { conditions, limit: 7 }));
    expect(await read(eq('part_number', 'PN-3'))).toEqual(matching((row) => row.part_number === 'PN-3'));
    expect(await read(eq('is_active', false))).toEqual(matching((row) => !row.is_active));
    expect(await read(eq('category', 'C2'))).toEqual(matching((row) => row.category === 'C2'));
    expect(await read(eq('category', 'c2'))).toEqual([]);
    expect(await read(eq('is_active', true), eq('part_number', 'PN-1'), eq('category', 'C1'))).toEqual(
      matching((row) => row.is_active && row.part_number === 'PN-1' && row.category === 'C1'),
    );
  });

  it('filters by ranges, in their order, with both bounds', async () => {
    const { store, plant } = await given();
    const dated = Array.from({ length: 60 }, (_, n) => ({
      id: `O-${String(n).padStart(3, '0')}`,
      order_number: `${n}`,
      status: n % 2 ? 'open' : 'closed',
      services: [],
      // Several share a day, some have none, and the days do not follow the ids.
      required_date: n % 7 === 0 ? null : `2026-02-${String(28 - (n % 20)).padStart(2, '0')}`,
    }));
    await importInto(store, plant, orders, dated);
    const [from, to] = ['2026-02-12', '2026-02-20'];
    const condition = (op: 'from' | 'to' | 'before', value: string) => ({ field: 'required_date', op, value });
    const read = (...conditions: RecordPageRequest['conditions']) =>
      idsOf(store, pageOf(plant, { resource: orders, conditions, orderBy: 'required_date', limit: 4 }));
    const expected = (test: (date: string) => boolean, rows = dated) =>
      rows
        .filter((row) => row.required_date !== null && test(row.required_date))
        .sort((a, b) => (`${a.required_date}${a.id}` < `${b.required_date}${b.id}` ? -1 : 1))
        .map(({ id }) => id);
    expect(await read(condition('from', from), condition('to', to))).toEqual(
      expected((date) => date >= from && date <= to),
    );
    expect(await read(condition('from', from), condition('before', to))).toEqual(
      expected((date) => date >= from && date < to),
    );
    expect(await read({ field: 'status', op: 'eq', value: 'open' }, condition('to', to))).toEqual(
      expected(
        (date) => date <= to,
        dated.filter(({ status }) => status === 'open'),
      ),
    );
  });

  it('filters by a value and a range together, whether few or many records have the value', async () => {
    const { store, plant } = await given();
    const rows = Array.from({ length: 1300 }, (_, n) => ({
      id: `O-${String(n).padStart(4, '0')}`,
      order_number: `${n}`,
      status: n % 13 ? 'open' : 'closed',
      services: [],
      required_date: `2026-02-${String(28 - (n % 20)).padStart(2, '0')}`,
    }));
    await importInto(store, plant, orders, rows);
    for (const status of ['open', 'closed']) {
      const conditions = [
        { field: 'status', op: 'eq' as const, value: status },
        { field: 'required_date', op: 'from' as const, value: '2026-02-20' },
      ];
      const request = pageOf(plant, { resource: orders, conditions, orderBy: 'required_date', limit: 90 });
      const expected = rows
        .filter((row) => row.status === status && row.required_date >= '2026-02-20')
        .sort((a, b) => (a.required_date + a.id < b.required_date + b.id ? -1 : 1));
      expect(await idsOf(store, request)).toEqual(expected.map(({ id }) => id));
    }
  });

  it('counts what an import does, and moves updated_at with a change only', async () => {
    const { store, plant } = await given();
    expect(await importInto(store, plant, parts, partRows(250))).toEqual({
      inserted: 250,
      updated: 0,
      unchanged: 0,
      removed: 0,
    });
    const changed = [partRow(0, { name: 'Changed' }), partRow(5, { category: 'now one' }), ...partRows(252).slice(250)];
    const rows = [...changed, ...partRows(20).filter(({ id }) => id !== 'P-0000' && id !== 'P-0005')];
    expect(await importInto(store, plant, parts, rows, { nowUs: laterUs })).toEqual({
      inserted: 2,
      updated: 2,
      unchanged: 18,
      removed: 0,
    });
    const since = { field: 'updated_at', op: 'from' as const, value: '2026-11-20T08:15:00.000001Z' };
    const moved = await readAll(store, pageOf(plant, { conditions: [since], orderBy: 'updated_at' }));
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
    expect(await importInto(store, plant, parts, [], { replace: true })).toMatchObject({ removed: 10 });
  });

  it('reports on a dry run what would change, and changes nothing but the trail', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, parts, partRows(10));
    const before = await readAll(store, pageOf(plant));
    const rows = [partRow(1, { name: 'Other' }), partRow(900)];
    const summary = await importInto(store, plant, parts, rows, { dryRun: true, replace: true, nowUs: laterUs });
    expect(summary).toEqual({ inserted: 1, updated: 1, unchanged: 0, removed: 9 });
    const fresh = await plantIn(store, 'Beta');
    expect(await importInto(store, fresh, orders, [], { dryRun: true })).toMatchObject({ inserted: 0 });
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
                rule: `stands already in line ${first}; an id may stand once in a file`,
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
      { numRuns: 60 },
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
          const named = rows.map((values, n) => ({ ...values, id: `P-${String(n).padStart(4, '0')}` }));
          // Into nothing, and once more over what is there.
          await importInto(store, plant, parts, named, { batch });
          expect(await readAll(store, pageOf(plant))).toMatchObject(named);
          const turned = named.map((values, n) => ({ ...named[named.length - 1 - n], id: values.id }));
          await importInto(store, plant, parts, turned, { batch });
          expect(await readAll(store, pageOf(plant))).toMatchObject(turned);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('changes its version with every import that changes something', async () => {
    const { store, plant } = await given();
    const before = await store.records.version();
    expect(await store.records.version()).toBe(before);
    await importInto(store, plant, parts, partRows(1));
    expect(await store.records.version()).not.toBe(before);
  });

  it('loses the records with their entity, and nobody else’s', async () => {
    const { store, plant } = await given();
    const other = await plantIn(store, 'Beta');
    for (const one of [plant, other]) await importInto(store, one, parts, partRows(3));
    await store.entities.remove(plant.entity.id, draftOf(plant.tenant.id, 'entity.remove', 'BER'));
    expect(await idsOf(store, pageOf(plant))).toEqual([]);
    expect(await store.records.get(parts, plant.entity.id, 'P-0001')).toBeUndefined();
    expect(await idsOf(store, pageOf(other))).toHaveLength(3);
  });
}
