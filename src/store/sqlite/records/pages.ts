import { pageFields } from '../../../core/fields/fields.ts';
import type { RecordCondition, RecordPageRequest } from '../../../core/port/records.ts';
import { mostScanned, pageSeparator } from '../../../core/records/page-rows.ts';
import { operators, servedBy } from '../../records/pages.ts';
import { indexName, tableName } from '../../records/tables.ts';
import { entityNumber, jsonOf } from './tables.ts';

type Value = string | number;

/** The query of a page. Requests of the same `shape` share a statement and differ in `values` only. */
export interface PageQuery {
  shape: string;
  sql(): string;
  values: readonly Value[];
}

/**
 * Builds the query of a page. It walks one index in the order of the page, from the end of the page before, and checks the
 * conditions that the index does not serve for each record on the way. If few records have the value of the field
 * `rare`, it checks and sorts all of these instead.
 */
export function pageQuery(request: RecordPageRequest, rare?: string): PageQuery {
  const { resource, orderBy, limit, include = [] } = request;
  const shown = jsonOf(pageFields(resource, include));
  const name = [resource.name, include.join('+')].join();
  const { index, walk, checked, order, isBounded } = planOf(request, rare);
  const page = (columns: string, from: string) => `select group_concat(json, '${pageSeparator}') as json, count(*) as n,
    ${columns} as reached from (select ${shown} as json from ${from} limit ?)`;

  if (!isBounded) {
    const terms = [...walk, ...checked];
    return {
      shape: [name, index, order, conditionsOf(terms)].join(),
      sql: () => page('null', `${tableName(resource)} ${index} where ${conditionsOf(terms)} order by ${order}`),
      values: [...valuesOf(terms), limit + 1],
    };
  }
  const walked = (columns: string) =>
    `select ${columns} from ${tableName(resource)} ${index} where ${conditionsOf(walk)} order by ${order}`;
  return {
    shape: [name, index, order, conditionsOf(walk), 'bounded', conditionsOf(checked)].join(),
    sql: () =>
      page(
        // Evaluated only for a page that is not full, in the same statement, so that both see the same records.
        `case when count(*) < ? then
          (${walked(`json_array("${orderBy}", id)`)} limit 1 offset ${mostScanned - 1}) end`,
        `(${walked('*')} limit ${mostScanned}) where ${conditionsOf(checked)}`,
      ),
    values: [limit + 1, ...valuesOf(walk), ...valuesOf(walk), ...valuesOf(checked), limit + 1],
  };
}

/** Builds the query of the bytes of some columns together, a row for each record of the page and one more, to be read one by one. */
export function sizesQuery(request: RecordPageRequest, columns: readonly string[], rare?: string): PageQuery {
  const { resource, limit } = request;
  const { index, walk, checked, order, isBounded } = planOf(request, rare);
  // SQLite has the length of a text without reading it.
  const size = columns.map((column) => `octet_length("${column}")`).join(' + ');
  const terms = isBounded ? walk : [...walk, ...checked];
  const walked = `select *, ${size} as size from ${tableName(resource)} ${index} where ${conditionsOf(terms)} order by ${order}`;
  return {
    shape: [resource.name, 'sizes', index, order, conditionsOf(walk), isBounded, conditionsOf(checked)].join(),
    sql: () =>
      isBounded
        ? `select size from (${walked} limit ${mostScanned}) where ${conditionsOf(checked)} limit ?`
        : `select size from (${walked} limit ?)`,
    values: [...valuesOf(walk), ...valuesOf(checked), limit + 1],
  };
}

export function bound(value: RecordCondition['value']): Value {
  return typeof value === 'boolean' ? Number(value) : value;
}

interface Term {
  sql: string;
  values: Value[];
}

/** How a page is found: by a walk within these bounds, a bounded one if most records on the way may not match. */
function planOf(request: RecordPageRequest, rare: string | undefined) {
  const { index, served, checked, order } = walkOf(request, rare);
  const walk = [{ sql: `entity = ${entityNumber}`, values: [request.entityId] }, ...served];
  return { index, walk, checked, order, isBounded: checked.length > 0 && rare === undefined };
}

function conditionsOf(terms: readonly Term[]): string {
  return terms.map(({ sql }) => sql).join(' and ');
}

function valuesOf(terms: readonly Term[]): Value[] {
  return terms.flatMap(({ values }) => values);
}

/**
 * The index to walk, its bounds, and the conditions left to check. The index is named, since the planner has no statistics
 * and would walk all records in order of `id` instead of seeking a value: half a second for millions of records. There is
 * only one lower bound, since of two the planner takes the first, and would walk again through all pages before.
 */
function walkOf(request: RecordPageRequest, rare: string | undefined) {
  const { resource, orderBy, after } = request;
  const { field, held, lower, upper, checked: others } = servedBy(request, rare);
  const served = [held, upper].flatMap((condition) => (condition ? termOf(condition) : []));
  const checked = others.map(termOf);
  // Within one value the index is in order of id.
  const isById = orderBy === 'id' || (held !== undefined && orderBy === field);
  const isSorted = held !== undefined && !isById;
  if (after) {
    const position: Term = isById
      ? { sql: 'id > ?', values: [after.id] }
      : { sql: `("${orderBy}", id) > (?, ?)`, values: [after.value, after.id] };
    (isSorted ? checked : served).push(position);
  } else if (lower) served.push(termOf(lower));
  const index = field === undefined ? 'not indexed' : `indexed by "${indexName(resource, field)}"`;
  return { index, served, checked, order: isById ? 'id' : `"${orderBy}", id` };
}

function termOf({ field, op, value }: RecordCondition): Term {
  return { sql: `"${field}" ${operators[op]} ?`, values: [bound(value)] };
}
