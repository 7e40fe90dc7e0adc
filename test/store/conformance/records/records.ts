import { expect, it } from 'vitest';
import type { RecordPageRequest, RecordPosition } from '../../../../src/core/port/records.ts';
import { orders } from '../../../../src/resources/jobs-and-orders.ts';
import { parts } from '../../../../src/resources/projects-and-settings.ts';
import { draftOf, plantIn } from '../../stores.ts';
import type { Given } from '../given.ts';
import { idsOf, importInto, pageOf, partRow, partRows, readAll } from './stored-records.ts';

/** What every engine keeps of records, and how it pages through them. */
export function recordConformance(given: Given): void {
  it('shows a record as it was given, field by field, in order of declaration', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, parts, [
      partRow(1, { name: 'Ünïcödé "q" \\ \u2028 line\nbreak', material: '' }),
    ]);
    const json = await store.records.get(parts, plant.entity.id, 'P-0001');
    expect(Object.keys(JSON.parse(json ?? ''))).toEqual([
      'id',
      ...Object.keys(parts.fields),
      'updated_at',
    ]);
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
    expect(await store.records.row(parts, other.entity.id, 'P-0001')).toBeUndefined();
    const [first] = await readAll(store, pageOf(plant, { limit: 1 }));
    expect(await store.records.row(parts, plant.entity.id, String(first?.id))).toEqual(first);
    expect(await store.records.page(pageOf(other))).toEqual({ json: '', count: 0, next: null });
  });

  it('shows lists of a record, and fields of detail only for a single one', async () => {
    const { store, plant } = await given();
    const services = [{ row_id: 'SVC-01', service_code: 'HT' }];
    await importInto(store, plant, orders, [
      { id: 'O-1', order_number: '1', status: 'open', services },
    ]);
    const one = JSON.parse((await store.records.get(orders, plant.entity.id, 'O-1')) ?? '');
    expect(one.services).toEqual(services);
    const [listed] = await readAll(store, pageOf(plant, { resource: orders }));
    expect(listed).toMatchObject({ id: 'O-1', order_number: '1' });
    expect('services' in (listed ?? {})).toBe(orders.fields.services?.detail !== true);
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
      await importInto(store, plant, parts, [partRow(0, { id: `A-${round}` }), ...left], {
        replace: true,
      });
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
    expect(await read(eq('part_number', 'PN-3'))).toEqual(
      matching((row) => row.part_number === 'PN-3'),
    );
    expect(await read(eq('is_active', false))).toEqual(matching((row) => !row.is_active));
    expect(await read(eq('category', 'C2'))).toEqual(matching((row) => row.category === 'C2'));
    expect(await read(eq('category', 'c2'))).toEqual([]);
    expect(
      await read(eq('is_active', true), eq('part_number', 'PN-1'), eq('category', 'C1')),
    ).toEqual(
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
    const condition = (op: 'from' | 'to' | 'before', value: string) => ({
      field: 'required_date',
      op,
      value,
    });
    const read = (...conditions: RecordPageRequest['conditions']) =>
      idsOf(
        store,
        pageOf(plant, { resource: orders, conditions, orderBy: 'required_date', limit: 4 }),
      );
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
      const request = pageOf(plant, {
        resource: orders,
        conditions,
        orderBy: 'required_date',
        limit: 90,
      });
      const expected = rows
        .filter((row) => row.status === status && row.required_date >= '2026-02-20')
        .sort((a, b) => (a.required_date + a.id < b.required_date + b.id ? -1 : 1));
      expect(await idsOf(store, request)).toEqual(expected.map(({ id }) => id));
    }
  });

  it('sorts by any column in both directions, with ties by id and records without a value last', async () => {
    const { store, plant } = await given();
    const names = ['Zange', 'Öse, groß', 'Apfel', 'apfel', 'Ärmel', 'a,b', 'Zange', 'é', '😀', '￼'];
    const weights = [
      0.1 + 0.7,
      1 / 3,
      2 / 3,
      0.1 + 0.2,
      -0,
      5e-324,
      1e22,
      123456.78901234567,
      null,
    ];
    const rows = partRows(60).map((row, n) => ({
      ...row,
      name: names[n % names.length],
      weight_kg: weights[n % weights.length] ?? null,
      is_active: n % 3 !== 0,
    }));
    await importInto(store, plant, parts, rows);

    for (const field of ['id', 'name', 'part_number', 'category', 'weight_kg', 'is_active']) {
      for (const sort of ['asc', 'desc'] as const) {
        const expected = rows.toSorted(inOrderOf(field, sort)).map(({ id }) => id);
        for (const limit of [7, 12, 500]) {
          const request = pageOf(plant, { orderBy: field, sort, limit });
          expect(await idsOf(store, request), `${field} ${sort}`).toEqual(expected);
        }
        for (const [filter, value] of [
          ['is_active', true],
          ['category', 'C2'],
          ['part_number', 'PN-3'],
        ] as const) {
          const conditions = [{ field: filter, op: 'eq' as const, value }];
          const filtered = rows.filter((row) => row[filter] === value);
          const filteredIds = filtered.toSorted(inOrderOf(field, sort)).map(({ id }) => id);
          const request = pageOf(plant, { orderBy: field, sort, limit: 4, conditions });
          expect(await idsOf(store, request), `${field} ${sort} ${filter}`).toEqual(filteredIds);
        }
      }
    }
  });

  it('sorts a range of days in both directions', async () => {
    const { store, plant } = await given();
    const rows = Array.from({ length: 40 }, (_, n) => ({
      id: `O-${String(n).padStart(3, '0')}`,
      order_number: `${n % 7}`,
      status: n % 2 ? 'open' : 'closed',
      services: [],
      required_date: n % 7 === 0 ? null : `2026-02-${String(28 - (n % 20)).padStart(2, '0')}`,
    }));
    await importInto(store, plant, orders, rows);
    const conditions = [
      { field: 'required_date', op: 'from' as const, value: '2026-02-12' },
      { field: 'required_date', op: 'to' as const, value: '2026-02-20' },
    ];
    const inRange = rows.filter(({ required_date: day }) => {
      return day !== null && day >= '2026-02-12' && day <= '2026-02-20';
    });
    for (const field of ['required_date', 'order_number', 'status']) {
      for (const sort of ['asc', 'desc'] as const) {
        const request = pageOf(plant, {
          resource: orders,
          orderBy: field,
          sort,
          conditions,
          limit: 4,
        });
        const expected = inRange.toSorted(inOrderOf(field, sort)).map(({ id }) => id);
        expect(await idsOf(store, request), `${field} ${sort}`).toEqual(expected);
      }
    }
  });

  it('sorts a list of any length by a field with an index, by another only a short one', async () => {
    const { store, plant } = await given();
    const rows = Array.from({ length: 10_100 }, (_, n) =>
      partRow(n, {
        part_number: `PN-${n % 999}`,
        is_active: n % 200 !== 0,
        category: n % 3 ? 'C' : null,
      }),
    );
    await importInto(store, plant, parts, rows);

    const active = { field: 'is_active', op: 'eq', value: true } as const;
    const readable = rows.filter(({ is_active }) => is_active);
    for (const field of ['part_number', 'category']) {
      for (const sort of ['asc', 'desc'] as const) {
        for (const [conditions, expected] of [
          [[], rows],
          [[active, { field: 'updated_at', op: 'from', value: '2026' }], readable],
        ] as const) {
          const request = pageOf(plant, { orderBy: field, sort, limit: 3000, conditions });
          const expectedIds = expected.toSorted(inOrderOf(field, sort)).map(({ id }) => id);
          expect(await idsOf(store, request), `${field} ${sort}`).toEqual(expectedIds);
        }
      }
    }

    const byName = pageOf(plant, { orderBy: 'name', sort: 'asc' });
    await expect((async () => store.records.page(byName))()).rejects.toMatchObject({
      code: 'bad_parameter',
      message: expect.stringContaining('lists of up to 10000 records'),
    });
    const inactive = { ...active, value: false };
    const few = rows.filter(({ is_active }) => !is_active).toSorted(inOrderOf('name', 'asc'));
    expect(await idsOf(store, { ...byName, conditions: [inactive] })).toEqual(
      few.map(({ id }) => id),
    );
  });

  it('changes its version with every import that changes something', async () => {
    const { store, plant } = await given();
    const before = await store.records.changeCounter();
    expect(await store.records.changeCounter()).toBe(before);
    await importInto(store, plant, parts, partRows(1));
    expect(await store.records.changeCounter()).not.toBe(before);
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

/** Compares rows as a sorted list has them: by value, then by id, both in the direction asked for; null comes last. */
function inOrderOf(field: string, sort: 'asc' | 'desc') {
  return (one: Record<string, unknown>, other: Record<string, unknown>): number => {
    const [a, b] = [one[field] ?? null, other[field] ?? null];
    if (a === null || b === null) {
      if (a !== b) return a === null ? 1 : -1;
    }
    const direction = sort === 'desc' ? -1 : 1;
    return direction * (compareValues(a, b) || compareValues(one.id, other.id));
  };
}

function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return Number(a) - Number(b);
}
