import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../../src/core/domain/actors.ts';
import type { Domain } from '../../../../src/core/domain/domain.ts';
import type { ResourceDefinition } from '../../../../src/core/fields/fields.ts';
import type { RecordPosition } from '../../../../src/core/port/records.ts';
import type { Store } from '../../../../src/core/port/store.ts';
import {
  ImportError,
  importRecords,
  type RemovalCounts,
} from '../../../../src/core/records/imports.ts';
import { loadDemo } from '../../../../src/demo/demo.ts';
import { readRows } from '../../../../src/formats/rows.ts';
import { resources } from '../../../../src/resources/index.ts';
import { orders } from '../../../../src/resources/jobs-and-orders.ts';
import { parts } from '../../../../src/resources/projects-and-settings.ts';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import { steadyBy } from '../../../core/steady.ts';
import { nowMs, type Plant, plantIn, temporaryStore } from '../../../store/stores.ts';

let store: Store;
let plant: Plant;
let domain: Domain;
let actor: Actor;

beforeEach(async () => {
  store = await temporaryStore();
  plant = await plantIn(store);
  domain = { store, ...steadyBy(() => nowMs), random: randomBytes, newId: randomUUID };
  actor = { user: plant.user, osAccount: 'tester' };
});
afterEach(() => store.close());

const header = 'id,name,part_number,is_active\n';

/** Imports text as one file, in pieces of a size. */
function load(
  text: string,
  options: {
    resource?: ResourceDefinition;
    replace?: boolean;
    dryRun?: boolean;
    piece?: number;
    as?: Actor;
    confirmRemoval?: (counts: RemovalCounts) => Promise<void>;
  } = {},
) {
  const {
    resource = parts,
    replace = false,
    dryRun = false,
    piece = 1 << 16,
    as = actor,
    confirmRemoval,
  } = options;
  const source = async function* () {
    for (let at = 0; at < text.length; at += piece) yield Buffer.from(text.slice(at, at + piece));
  };
  const rows = readRows(resource, source(), {});
  return importRecords(domain, as, {
    resource,
    entity: 'BER',
    rows,
    replace,
    dryRun,
    confirmRemoval,
  });
}

/** All records of a resource, by id. */
async function recordsOf(resource: ResourceDefinition) {
  const records: Record<string, Record<string, unknown>> = {};
  const request = {
    resource,
    entityId: plant.entity.id,
    conditions: [],
    orderBy: 'id',
    limit: 500,
  };
  for (let after: RecordPosition | undefined; ; ) {
    const page = await store.records.page({ ...request, after });
    for (const record of JSON.parse(`[${page.json}]`)) records[record.id] = record;
    if (!page.next) return records;
    after = page.next;
  }
}

const rowsOf = (from: number, to: number, name = 'x') =>
  Array.from(
    { length: to - from },
    (_, i) => `P-${from + i},${name},N-${from + i},${i % 2 === 0}\n`,
  ).join('');

async function refusalOf(loading: Promise<unknown>): Promise<ImportError> {
  const thrown = await loading.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ImportError)) throw thrown ?? new Error('it was not refused');
  return thrown;
}

describe('a file that would remove more than half of the records', () => {
  const ids = async () => Object.keys(await recordsOf(parts));

  beforeEach(async () => {
    await load(header + rowsOf(0, 10));
  });

  it.each([
    ['only the header', 0],
    ['fewer than half of the records', 4],
    ['none of them, but as many others', 0, 10],
  ])('with %s changes nothing where nobody confirms it', async (_what, kept, added = 0) => {
    const text = header + rowsOf(0, kept) + rowsOf(20, 20 + added);
    await expect(load(text, { replace: true })).rejects.toMatchObject({
      code: 'confirmation_required',
      message: `The import would remove ${10 - kept} of 10 records.`,
    });
    expect(await ids()).toHaveLength(10);
    expect(await load(text, { replace: true, dryRun: true })).toMatchObject({ removed: 10 - kept });
    const asked: RemovalCounts[] = [];
    const confirmRemoval = async (counts: RemovalCounts) => void asked.push(counts);
    expect(await load(text, { replace: true, confirmRemoval })).toMatchObject({
      removed: 10 - kept,
    });
    expect(asked).toEqual([{ removed: 10 - kept, existing: 10 }]);
    expect(await ids()).toHaveLength(kept + added);
  });

  it('asks for nothing where half of them stay, nothing is removed, or there were none', async () => {
    await load(header + rowsOf(0, 5), { replace: true });
    expect(await ids()).toHaveLength(5);
    await load(header);
    await load(header + rowsOf(3, 5) + rowsOf(5, 50), {
      replace: true,
      confirmRemoval: async () => {},
    });
    await load('id,code,name,is_active\n', { resource: sensors, replace: true });
  });
});

describe('who imports', () => {
  it('is a Super user or Master data; others are refused and that is kept', async () => {
    const as = (role: Actor['user']['role']): Actor => ({
      ...actor,
      user: { ...actor.user, role },
    });
    await expect(load(header + rowsOf(0, 1), { as: as('master_data') })).resolves.toMatchObject({
      inserted: 1,
    });
    for (const role of ['entity_admin', 'manager', 'operator'] as const) {
      await expect(load(header, { as: as(role) })).rejects.toMatchObject({ code: 'not_permitted' });
    }
    const [last] = await store.audit.list(plant.tenant.id, { limit: 1 });
    expect(last).toMatchObject({
      action: 'records.import',
      outcome: 'denied',
      target: 'BER/parts',
    });
  });

  it('names an entity of the own organization', async () => {
    const rows: [] = [];
    const input = { resource: parts, entity: 'NOPE', rows, replace: false, dryRun: false };
    await expect(importRecords(domain, actor, input)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('stands in the trail with what changed', async () => {
    await load(header + rowsOf(0, 3));
    await load(header + rowsOf(0, 2), { replace: true, dryRun: true });
    const [dry, done] = await store.audit.list(plant.tenant.id, { limit: 2 });
    expect(done?.detail).toEqual({
      inserted: 3,
      updated: 0,
      unchanged: 0,
      removed: 0,
      replace: false,
    });
    expect(dry?.detail).toEqual({
      inserted: 0,
      updated: 0,
      unchanged: 2,
      removed: 1,
      replace: true,
      dry_run: true,
    });
  });
});

describe('what is in the file', () => {
  it.each([40, 64, 100, 1 << 16])(
    'is kept the same in bulk and row by row (pieces of %d bytes)',
    async (piece) => {
      const text = `${header + rowsOf(0, 300)}Q-1,"two\nlines",N,true\n`;
      await expect(load(text, { piece })).resolves.toMatchObject({ inserted: 301 });
      const bulk = await recordsOf(parts);
      await expect(load(text, { piece })).resolves.toEqual({
        inserted: 0,
        updated: 0,
        unchanged: 301,
        removed: 0,
      });
      const confirmRemoval = async () => {};
      await load(`${header}Z,z,z,true\n`, { replace: true, confirmRemoval });
      await expect(load(text, { piece, replace: true, confirmRemoval })).resolves.toMatchObject({
        inserted: 301,
        removed: 1,
      });
      const again = await recordsOf(parts);
      // Only the instant of their change differs, though the clock stands still.
      for (const [id, record] of Object.entries(bulk)) {
        expect(again[id]).toEqual({ ...record, updated_at: '2026-11-20T08:15:00.000002Z' });
      }
      expect(Object.keys(again)).toEqual(Object.keys(bulk));
    },
  );

  it('may hold an id once: both lines are reported, in bulk and row by row', async () => {
    const text = `${header}${rowsOf(0, 70)}P-7,again,N,true\n${rowsOf(70, 140)}`;
    const expected = [
      {
        line: 72,
        column: null,
        field: 'id',
        value: 'P-7',
        rule: 'is already in line 9; an id may occur once in a file',
      },
    ];
    expect((await refusalOf(load(text))).violations).toEqual(expected);
    expect(await recordsOf(parts)).toEqual({});
    await load(header + rowsOf(0, 1));
    expect((await refusalOf(load(text))).violations).toEqual(expected);
    expect(Object.keys(await recordsOf(parts))).toEqual(['P-0']);
  });

  it('is all kept or nothing', async () => {
    await load(header + rowsOf(0, 10));
    const before = await recordsOf(parts);
    await refusalOf(
      load(`${header}${rowsOf(0, 2000, 'new')}P-X,x,N,maybe\n`, { replace: true, piece: 500 }),
    );
    expect(await recordsOf(parts)).toEqual(before);
  });

  it('is as quick to be found afterwards: every index is there again', async () => {
    await load(header + rowsOf(0, 5000), { piece: 20_000 });
    const page = await store.records.page({
      resource: parts,
      entityId: plant.entity.id,
      conditions: [{ field: 'part_number', op: 'eq', value: 'N-4321' }],
      orderBy: 'id',
      limit: 5,
    });
    expect(JSON.parse(page.json)).toMatchObject({ id: 'P-4321' });
  });

  it('replaces the set on request', async () => {
    await load(header + rowsOf(0, 10));
    const text = header + rowsOf(5, 15, 'y');
    const summary = { inserted: 5, updated: 5, unchanged: 0, removed: 5 };
    await expect(load(text, { replace: true, dryRun: true })).resolves.toEqual(summary);
    expect(Object.keys(await recordsOf(parts))).toHaveLength(10);
    await expect(load(text, { replace: true })).resolves.toEqual(summary);
    expect(Object.keys(await recordsOf(parts))).toEqual(
      Array.from({ length: 10 }, (_, i) => `P-${i + 5}`).sort(),
    );
  });

  it('keeps codes of sensors unique, and lets two swap theirs', async () => {
    const head = 'id,code,name,is_active\n';
    const sensor = { resource: sensors };
    await load(`${head}S-1,A,a,true\nS-2,B,b,true\n`, sensor);
    await expect(load(`${head}S-1,B,a,true\nS-2,A,b,true\n`, sensor)).resolves.toMatchObject({
      updated: 2,
    });
    const inFile = await refusalOf(load(`${head}S-3,C,a,true\nS-4,C,b,true\n`, sensor));
    expect(inFile.violations).toMatchObject([{ line: 3, field: 'code', value: 'C' }]);
    const inStore = await refusalOf(load(`${head}S-5,A,a,true\n`, sensor));
    expect(inStore.violations).toMatchObject([{ line: 2, field: 'code', value: 'A' }]);
  });

  it('comes out of the store as the declaration shows it', async () => {
    const services = [
      {
        row_id: 'SVC-01',
        service_code: 'A',
        quantity: 1.5,
        assignments: [{ resource: 'assets', id: 'A-1' }],
      },
    ];
    const order = {
      id: 'O-1',
      order_number: 'N',
      status: 'draft',
      required_date: '2026-11-27',
      services,
    };
    await load(JSON.stringify([order]), { resource: orders });
    const record = JSON.parse((await store.records.get(orders, plant.entity.id, 'O-1')) ?? '{}');
    expect(record.services).toEqual([
      { description: null, unit: null, unit_price: null, currency: null, ...services[0] },
    ]);
    expect(record.required_date).toBe('2026-11-27');
    expect((await recordsOf(orders))['O-1']).not.toHaveProperty('services');
  });

  describe('where its services were stored', () => {
    const services = [{ row_id: 'SVC-01', service_code: 'A', quantity: 1 }];
    const order = { id: 'O-1', order_number: 'N', status: 'draft' };
    const head = 'id,order_number,status';
    beforeEach(() => load(JSON.stringify([{ ...order, services }]), { resource: orders }));
    const rowIds = async () => {
      const record = JSON.parse((await store.records.get(orders, plant.entity.id, 'O-1')) ?? '{}');
      return record.services.map((service: { row_id: string }) => service.row_id);
    };

    it('keeps them when its own page of a list is imported again', async () => {
      const [listed] = Object.values(await recordsOf(orders));
      const loaded = await load(JSON.stringify([{ ...listed, status: 'closed' }]), {
        resource: orders,
      });
      expect(loaded).toMatchObject({ updated: 1 });
      expect(await rowIds()).toEqual(['SVC-01']);
    });

    it.each([
      ['a JSON object without the member', JSON.stringify([order])],
      ['a line of NDJSON without it', `${JSON.stringify(order)}\n`],
      ['a CSV file without the column', `${head}\nO-1,N,draft\n`],
    ])('keeps them after %s', async (_case, text) => {
      expect(await load(text, { resource: orders, replace: true })).toMatchObject({ unchanged: 1 });
      expect(await rowIds()).toEqual(['SVC-01']);
    });

    it.each([
      ['an empty list', JSON.stringify([{ ...order, services: [] }])],
      ['null', JSON.stringify([{ ...order, services: null }])],
      ['an empty cell', `${head},services\nO-1,N,draft,\n`],
    ])('removes them after %s', async (_case, text) => {
      expect(await load(text, { resource: orders })).toMatchObject({ updated: 1 });
      expect(await rowIds()).toEqual([]);
    });
  });
});

describe('the made-up plant', () => {
  it('is loaded by the operations that people use', async () => {
    await loadDemo(domain, actor, plant.entity);
    const entities = await store.entities.list(plant.tenant.id);
    expect(entities.map(({ timezone }) => timezone).sort()).toEqual([
      'America/Chicago',
      'Europe/Berlin',
    ]);
    const roles = (await store.users.list(plant.tenant.id)).map(({ role }) => role);
    expect(new Set(roles).size).toBe(5);
    for (const resource of resources) {
      for (const { id } of entities) {
        const request = { resource, entityId: id, conditions: [], orderBy: 'id', limit: 500 };
        expect((await store.records.page(request)).count, resource.name).toBeGreaterThanOrEqual(18);
      }
    }
    expect(Object.keys(await recordsOf(sensors))).toHaveLength(50);
  });
});
