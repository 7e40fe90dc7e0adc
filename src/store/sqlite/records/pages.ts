import type { RecordCondition, RecordPageRequest } from '../../../core/port/records.ts';
import { pageFields } from '../../../core/records/fields.ts';
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
 * conditions that the index does not serve for each record on the way. Where few records have the value of the field
 * `rare`, it checks and sorts all of these instead. With `sizesOf` it returns the bytes of these columns instead of records.
 */
export function pageQuery(request: RecordPageRequest, rare?: string, sizesOf?: readonly string[]): PageQuery {
  const { resource, entityId, orderBy, limit, include = [] } = request;
  const shown = sizesOf ? lengthOf(sizesOf) : jsonOf(pageFields(resource, include));
  const name = [resource.name, sizesOf ? 'sizes' : include.join('+')].join();
  const { index, served, checked, order } = walkOf(request, rare);
  const isBounded = checked.length > 0 && rare === undefined;
  const conditionsOf = (terms: readonly Term[]) => terms.map(({ sql }) => sql).join(' and ');
  const valuesOf = (terms: readonly Term[]) => terms.flatMap(({ values }) => values);
  const walk = [{ sql: `entity = ${entityNumber}`, values: [entityId] }, ...served];
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

/** A condition's value as SQLite stores it. */
export function bound(value: RecordCondition['value']): Value {
  return typeof value === 'boolean' ? Number(value) : value;
}

interface Term {
  sql: string;
  values: Value[];
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

/** SQL for the bytes of columns together; SQLite has them without reading the text. */
function lengthOf(columns: readonly string[]): string {
  return columns.map((column) => `octet_length("${column}")`).join(' + ');
}

function termOf({ field, op, value }: RecordCondition): Term {
  return { sql: `"${field}" ${operators[op]} ?`, values: [bound(value)] };
}
