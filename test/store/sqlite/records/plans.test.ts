import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResourceDefinition } from '../../../../src/core/fields/fields.ts';
import type {
  RecordCondition,
  RecordPageRequest,
  RecordPosition,
} from '../../../../src/core/port/records.ts';
import { pageParameters } from '../../../../src/core/records/queries.ts';
import { resources } from '../../../../src/resources/index.ts';
import { parts } from '../../../../src/resources/projects-and-settings.ts';
import { mostScanned, pageQuery } from '../../../../src/store/shared/records/pages.ts';
import { type PageRow, toPage } from '../../../../src/store/shared/records/records.ts';
import { pageDialect, toParameters } from '../../../../src/store/sqlite/records/pages.ts';
import { type Connection, openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import { applyMigrations } from '../../../../src/store/sqlite-file/schema/migrated-schema.ts';
import { tableName } from '../../../../src/store/tables/record-names.ts';
import { requestsOf, sortedRequestsOf } from '../../page-requests.ts';

let connection: Connection;
beforeAll(() => {
  connection = openDatabase(':memory:', {});
  applyMigrations(connection, 'records', 'migrations', ':memory:');
});
afterAll(() => connection.close());

/** How SQLite would answer, one line a step. */
function planOf(request: RecordPageRequest, rare?: string): string[] {
  const { sql, values } = pageQuery(pageDialect, request, request.entityId, rare);
  const rows = connection.prepare<unknown[], { detail: string }>(`explain query plan ${sql()}`);
  return rows.all(toParameters(values)).map(({ detail }) => detail);
}

/** The steps of a plan that read a resource's table. */
function stepsOn(resource: ResourceDefinition, plan: readonly string[]): string[] {
  return plan.filter((step) => step.includes(` ${tableName(resource)} `));
}

describe.each(resources.map((resource) => [resource.name, resource] as const))(
  'a page of %s',
  (_, resource) => {
    const filters = pageParameters(resource).filter(({ on }) => on);

    it.each([undefined, ...filters.map(({ name }) => name)])(
      'by %s is sought in an index and needs no sort',
      (name) => {
        for (const request of requestsOf(resource, name)) {
          const plan = planOf(request);
          const field = request.conditions[0]?.field ?? 'id';
          const table = tableName(resource);
          const index = field === 'id' ? 'PRIMARY KEY' : `(?:COVERING )?INDEX ${table}_by_${field}`;
          const steps = stepsOn(resource, plan);
          expect(steps).toHaveLength(1);
          expect(steps[0]).toMatch(new RegExp(`^SEARCH ${table} USING ${index} \\(entity=\\?`));
          if (field !== 'id') expect(steps[0]).toMatch(new RegExp(`AND \\(?${field}[=<>,]`));
          // A later page begins where the one before ended: any other lower end would walk through all pages before.
          if (request.after)
            expect(steps[0]).toMatch(
              request.orderBy === 'id' ? /AND id>\?/ : /,id\)>\(\?,\?\)|=\? AND id>\?/,
            );
          expect(plan.join()).not.toContain('TEMP B-TREE');
        }
      },
    );

    it('sorted by a field with an index walks that, from the end of the page before', () => {
      for (const request of sortedRequestsOf(resource)) {
        const plan = planOf(request);
        const { orderBy, part, after } = request;
        const bounds = stepsOn(resource, plan).join();
        if (part === 'nulls') expect(bounds).toContain(`AND ${orderBy}=?`);
        else if (orderBy === 'id') expect(bounds).toMatch(after ? /AND id[<>]\?/ : /\(entity=\?\)/);
        else expect(bounds).toContain(`_by_${orderBy} (entity=?`);
        if (after && part !== 'nulls' && orderBy !== 'id') {
          expect(bounds).toMatch(new RegExp(`\\(${orderBy},id\\)[<>]\\(\\?,\\?\\)`));
        }
        expect(plan.join()).not.toContain('TEMP B-TREE');
      }
    });

    const equal = filters.filter(({ role }) => role === 'equals');
    const text = equal.find(({ on }) => on?.declaration.kind === 'text')?.name;

    if (text === undefined) return;
    it('by several values seeks the one that is likely the rarest', () => {
      const conditions = equal.map(({ name }) => ({ field: name, op: 'eq' as const, value: 'x' }));
      const request = { resource, entityId: 'e', conditions, orderBy: 'id', limit: 50 };
      expect(planOf(request).join('\n')).toContain(
        `${tableName(resource)}_by_${text} (entity=? AND ${text}=?`,
      );
    });
  },
);

describe.each(resources.map((resource) => [resource.name, resource] as const))(
  'a page of %s',
  (_, resource) => {
    it('by any two parameters together is walked along an index, without a sort', () => {
      const requests = pageParameters(resource)
        .filter(({ on }) => on)
        .map(({ name }) => requestsOf(resource, name)[0]?.conditions ?? []);
      for (const [index, first] of requests.entries()) {
        for (const second of requests.slice(index + 1)) {
          const conditions = [...first, ...second].sort(
            (a, b) => Number(b.op === 'eq') - Number(a.op === 'eq'),
          );
          const orderBy = conditions.find(({ op }) => op !== 'eq')?.field ?? 'id';
          const request = { resource, entityId: 'e', conditions, orderBy, limit: 50 };
          for (const after of [undefined, { value: 'x', id: 'x' }]) {
            const plan = planOf({ ...request, after });
            expect(stepsOn(resource, plan).length).toBeGreaterThan(0);
            for (const step of stepsOn(resource, plan))
              expect(step).toMatch(/^SEARCH .*INDEX .*\(entity=\? AND/);
            expect(plan.join('\n')).not.toMatch(/TEMP B-TREE|MATERIALIZE/);
          }
        }
      }
    });
  },
);

it('a page of a range with a value that few records have is sought by that value', () => {
  const conditions: RecordCondition[] = [
    { field: 'part_number', op: 'eq', value: 'x' },
    { field: 'updated_at', op: 'from', value: 'x' },
  ];
  const plan = planOf(
    { resource: parts, entityId: 'e', conditions, orderBy: 'updated_at', limit: 50 },
    'part_number',
  );
  expect(plan.join('\n')).toContain(
    'SEARCH parts USING INDEX parts_by_part_number (entity=? AND part_number=?',
  );
});

describe('values that many records have and that hardly meet', () => {
  const count = 2.5 * mostScanned;
  const numberOf = (id: string) => Number(id.slice(2));
  const idOf = (n: number) => `P-${String(n).padStart(6, '0')}`;
  /** Only these are both active and of category A: one at each end of a page's reach, and two beside each other. */
  const meeting = [0, mostScanned - 1, mostScanned, mostScanned + 1, count - 1];
  let scanned = 0;

  beforeAll(() => {
    connection.function('looked_at', { deterministic: false }, (value) => {
      scanned++;
      return value;
    });
    connection.exec(`
      insert into record_entities values (1, 'e');
      with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})
      insert into parts (entity, id, name, part_number, is_active, category, updated_at)
        select 1, format('P-%06d', n), 'Part', 'PN', n in (${meeting.join()}), 'A', format('2026-11-20T08:%06d', n) from numbers`);
  });

  /** Reads a page and counts the records that the conditions beside the walked one were checked for. */
  function readPage(request: RecordPageRequest) {
    const { sql, values } = pageQuery(pageDialect, request, request.entityId);
    scanned = 0;
    const counted = sql().replaceAll('"is_active" =', 'looked_at("is_active") =');
    expect(counted).not.toBe(sql());
    const row: PageRow | undefined = connection
      .prepare<unknown[], PageRow>(counted)
      .get(toParameters(values));
    const { json, next } = toPage(row, request);
    const ids: string[] = JSON.parse(`[${json}]`).map(({ id }: { id: string }) => id);
    return { ids, next, scanned };
  }

  const both: RecordCondition[] = [
    { field: 'category', op: 'eq', value: 'A' },
    { field: 'is_active', op: 'eq', value: true },
  ];
  const since: RecordCondition = { field: 'updated_at', op: 'from', value: '2026' };
  const byId: RecordPageRequest = {
    resource: parts,
    entityId: 'e',
    conditions: both,
    orderBy: 'id',
    limit: 2,
  };

  it.each([
    ['two values', byId],
    [
      'a value in a range',
      { ...byId, conditions: [...both.slice(1), since], orderBy: 'updated_at' },
    ],
    ['two values in a range', { ...byId, conditions: [...both, since], orderBy: 'updated_at' }],
  ] as const)(
    '%s: a page looks through a bounded number of records, and no record is missed',
    (_, request) => {
      const pages: ReturnType<typeof readPage>[] = [];
      for (
        let after: RecordPosition | null | undefined;
        after !== null;
        after = pages.at(-1)?.next
      ) {
        pages.push(readPage({ ...request, after }));
        expect(pages.at(-1)?.scanned).toBeLessThanOrEqual(mostScanned);
      }
      expect(pages.flatMap(({ ids }) => ids).map(numberOf)).toEqual(meeting);
      expect(pages.some(({ scanned }) => scanned === mostScanned)).toBe(true);
    },
  );

  it('a page without any of them shows where the next one begins, and the last one that it is the last', () => {
    const behind = (n: number) => readPage({ ...byId, after: { value: idOf(n), id: idOf(n) } });
    const last = mostScanned + 1;
    const reached = idOf(last + mostScanned);
    expect(behind(last)).toEqual({
      ids: [],
      next: { value: reached, id: reached },
      scanned: mostScanned,
    });
    expect(behind(count - 2)).toEqual({ ids: [idOf(count - 1)], next: null, scanned: 1 });
    expect(behind(count - 1)).toEqual({ ids: [], next: null, scanned: 0 });
  });

  it('contradictory ends of one range walk no further either', () => {
    const conditions: RecordCondition[] = [...both.slice(1), since, { ...since, value: '2027' }];
    const page = readPage({ ...byId, conditions, orderBy: 'updated_at' });
    expect(page.ids).toEqual([]);
    expect(page.scanned).toBeLessThanOrEqual(mostScanned);
  });
});
