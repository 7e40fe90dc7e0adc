import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResourceDefinition } from '../../../src/core/fields/fields.ts';
import type { RecordCondition, RecordPageRequest } from '../../../src/core/port/records.ts';
import { pageParameters } from '../../../src/core/records/queries.ts';
import { resources } from '../../../src/resources/index.ts';
import { parts } from '../../../src/resources/projects-and-settings.ts';
import { byKey } from '../../../src/store/postgres/connection/server-settings.ts';
import { pageDialect } from '../../../src/store/postgres/records/pages.ts';
import {
  mostScanned,
  pageQuery,
  type SqlPageQuery,
} from '../../../src/store/shared/records/pages.ts';
import { type PageRow, toPage } from '../../../src/store/shared/records/records.ts';
import { tableName } from '../../../src/store/tables/record-names.ts';
import { requestsOf, sortedRequestsOf } from '../../store/page-requests.ts';
import { newDatabase } from '../../store/postgres/databases.ts';

let client: Client;
beforeAll(async () => {
  client = new Client({ connectionString: await newDatabase('store') });
  await client.connect();
  await client.query('set search_path = hkctl');
  for (const [name, value] of Object.entries(byKey))
    await client.query(`select set_config('${name}', ${value}, false)`);
});
afterAll(() => client.end());

/** How PostgreSQL would answer whatever the values are, one line a step. */
async function planOf({ sql, values }: SqlPageQuery): Promise<string> {
  await client.query(`prepare page as ${sql()}`);
  const nulls = values.map(() => 'null').join(', ');
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `explain (costs off) execute page(${nulls})`,
  );
  await client.query('deallocate page');
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

/** The indexes of a plan, each with its bounds. */
function scansOf(plan: string): string[] {
  return [
    ...plan.matchAll(/Index(?: Only)? Scan(?: Backward)? using (\S+) on .*\n\s+Index Cond: (.*)/g),
  ].map(([, index, bounds]) => `${index} ${bounds}`);
}

describe.each(resources.map((resource) => [resource.name, resource] as const))(
  'a page of %s',
  (_, resource) => {
    const table = tableName(resource);

    it('by any parameter is sought in an index, at the end of the page before, and needs no sort', async () => {
      const filters = pageParameters(resource).filter(({ on }) => on);
      for (const name of [undefined, ...filters.map((filter) => filter.name)]) {
        for (const request of requestsOf(resource, name)) {
          const field = request.conditions[0]?.field;
          const plan = await planOf(pageQuery(pageDialect, request, 1));
          const [scan = '', ...more] = scansOf(plan);
          expect(more).toEqual([]);
          expect(plan).not.toMatch(/Sort|Seq Scan|Bitmap/);
          const index = field === undefined ? `${table}_entity_id_pk` : `${table}_by_${field}`;
          expect(scan).toMatch(new RegExp(`^${index} \\(*entity = \\$1\\)`));
          if (request.after)
            expect(scan).toMatch(field === undefined ? '(id > $2)' : `(ROW(${field}, id) > ROW(`);
          else if (field !== undefined) expect(scan).toMatch(new RegExp(`\\(${field} [<>]=? `));
        }
      }
    });

    it('sorted by a field with an index walks that, from the end of the page before', async () => {
      for (const request of sortedRequestsOf(resource)) {
        const { orderBy, part, after } = request;
        const plan = await planOf(pageQuery(pageDialect, request, 1));
        const [scan = '', ...more] = scansOf(plan);
        expect(more).toEqual([]);
        expect(plan).not.toMatch(/Sort|Seq Scan|Bitmap/);
        const index = orderBy === 'id' ? `${table}_entity_id_pk` : `${table}_by_${orderBy}`;
        expect(scan).toMatch(new RegExp(`^${index} \\(*entity = \\$1\\)`));
        if (part === 'nulls') expect(scan).toContain(`(${orderBy} IS NULL)`);
        else if (after && orderBy !== 'id') expect(scan).toContain(`(ROW(${orderBy}, id) `);
      }
    });

    it('by any two parameters together is walked along an index, without a sort', async () => {
      const conditions = pageParameters(resource)
        .filter(({ on }) => on)
        .map(({ name }) => requestsOf(resource, name)[0]?.conditions ?? []);
      for (const [index, first] of conditions.entries()) {
        for (const second of conditions.slice(index + 1)) {
          const both = [...first, ...second].sort(
            (a, b) => Number(b.op === 'eq') - Number(a.op === 'eq'),
          );
          const orderBy = both.find(({ op }) => op !== 'eq')?.field ?? 'id';
          const plan = await planOf(
            pageQuery(pageDialect, { ...requestFor(resource, both), orderBy }, 1),
          );
          expect(scansOf(plan).length).toBeGreaterThan(0);
          expect(plan).not.toMatch(/Sort|Seq Scan|Bitmap/);
        }
      }
    });
  },
);

it('a page of a range with a value that few records have is sought by that value', async () => {
  const conditions: RecordCondition[] = [
    { field: 'part_number', op: 'eq', value: 'x' },
    { field: 'updated_at', op: 'from', value: 'x' },
  ];
  const request = { ...requestFor(parts, conditions), orderBy: 'updated_at' };
  expect(scansOf(await planOf(pageQuery(pageDialect, request, 1, 'part_number'))).join()).toMatch(
    /^parts_by_part_number \(/,
  );
});

function requestFor(
  resource: ResourceDefinition,
  conditions: readonly RecordCondition[],
): RecordPageRequest {
  return { resource, entityId: 'e', conditions, orderBy: 'id', limit: 50 };
}

describe('many records that nothing is known of', () => {
  const count = 2.5 * mostScanned;
  const idOf = (n: number) => `P-${String(n).padStart(6, '0')}`;

  beforeAll(async () => {
    await client.query(`insert into parts (entity, id, name, part_number, is_active, category, updated_at)
      select 1, 'P-' || lpad(n::text, 6, '0'), 'Part', 'PN', n = ${count - 1}, 'A', '2026-11-20T08:' || lpad(n::text, 6, '0')
      from generate_series(0, ${count - 1}) n`);
  });

  /** Reads a page; `read` is how many pages of the disk that needed. */
  async function readPage(request: RecordPageRequest) {
    const { sql, values } = pageQuery(pageDialect, request, 1);
    const text = sql();
    const { rows } = await client.query<PageRow>(text, [...values]);
    const explained = await client.query(`explain (analyze, buffers, format json) ${text}`, [
      ...values,
    ]);
    const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } =
      explained.rows[0]['QUERY PLAN'][0].Plan;
    return { ...toPage(rows[0], request), read: Number(hit) + Number(read) };
  }

  it.each([
    ['of all', [], 'id'],
    ['of a value', [{ field: 'category', op: 'eq', value: 'A' }], 'id'],
    ['since an instant', [{ field: 'updated_at', op: 'from', value: '2026' }], 'updated_at'],
  ] as const)('a page %s costs the same at any depth', async (_, conditions, orderBy) => {
    const request: RecordPageRequest = { ...requestFor(parts, conditions), orderBy };
    const at = (n: number) => ({
      value: orderBy === 'id' ? idOf(n) : `2026-11-20T08:${String(n).padStart(6, '0')}`,
      id: idOf(n),
    });
    const first = await readPage(request);
    const deep = await readPage({ ...request, after: at(count - 100) });
    expect(JSON.parse(`[${deep.json}]`)[0].id).toBe(idOf(count - 99));
    expect(deep.count).toBe(50);
    expect(deep.read).toBeLessThanOrEqual(first.read + 20);
  });

  it('a page by values that hardly meet ends after a bounded number of records, and none is missed', async () => {
    const conditions: RecordCondition[] = [
      { field: 'category', op: 'eq', value: 'A' },
      { field: 'is_active', op: 'eq', value: true },
    ];
    const request = requestFor(parts, conditions);
    const first = await readPage(request);
    const reached = idOf(mostScanned - 1);
    expect(first).toMatchObject({ json: '', count: 0, next: { value: reached, id: reached } });
    const last = await readPage({
      ...request,
      after: { value: idOf(count - mostScanned), id: idOf(count - mostScanned) },
    });
    expect(JSON.parse(`[${last.json}]`)).toMatchObject([{ id: idOf(count - 1) }]);
    expect(last.next).toBeNull();
  });
});
