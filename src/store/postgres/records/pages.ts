import { pageFields, type ResourceDefinition } from '../../../core/fields/fields.ts';
import type { RecordCondition, RecordPageRequest } from '../../../core/port/records.ts';
import { mostScanned, pageSeparator } from '../../../core/records/page-rows.ts';
import { operators, servedBy } from '../../records/pages.ts';
import { tableName } from '../../records/tables.ts';
import { jsonColumnsOf } from './tables.ts';

/**
 * A page walks an index in its order, never anything else: without statistics, as after an import, the planner would scan and
 * sort all records of an entity for a page.
 */
export const inOrder = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  plan_cache_mode: 'force_generic_plan',
} as const;

/** The query of a page. Requests of the same `text` share a prepared statement and differ in `values` only. */
export interface PageQuery {
  text: string;
  values: readonly unknown[];
}

/**
 * Builds the query of a page. It walks one index in the order of the page, from the end of the page before, and checks the
 * conditions that the index does not serve for each record on the way. If few records have the value of the field
 * `rare`, it checks and sorts all of these instead. With `sizesOf` it returns the bytes of these lists instead of records.
 */
export function pageQuery(
  request: RecordPageRequest,
  entity: number,
  rare: string | undefined,
  sizesOf?: readonly string[],
): PageQuery {
  const { resource, limit, include = [] } = request;
  const values = new Values();
  const table = tableName(resource);
  const ofEntity = `entity = ${values.add(entity)}`;
  const { served, checked, position, order } =
    rare === undefined ? walkOf(request, values) : sortOf(request, rare, values);
  const walk = all([ofEntity, ...served]);
  const most = values.add(limit + 1);
  const shown = sizesOf
    ? `(${sizesOf.map((name) => `octet_length(r."${name}"::text)`).join(' + ')})`
    : 'row_to_json(r)';
  const record = `select ${shown}::text as json from (select ${jsonColumnsOf(pageFields(resource, include))}`;
  const page = (reached: string, from: string) =>
    `select string_agg(json, '${pageSeparator}') as json, count(*)::int4 as n, ${reached} as reached from (${record} from ${from}) as r) as p`;

  if (rare !== undefined) {
    // Found apart, in the order of their index: the planner must not walk that of the page instead, in search of few records.
    const found = `with found as materialized (select * from ${table} where ${walk} order by "${rare}", id)`;
    const from = `found where ${all([...checked, ...position])} order by ${order} limit ${most}`;
    return { text: `${found} ${page('null::text', from)}`, values: values.all };
  }
  if (checked.length === 0) {
    return { text: page('null::text', `${table} where ${walk} order by ${order} limit ${most}`), values: values.all };
  }
  const walked = `from ${table} where ${walk} order by ${order}`;
  const end = `select json_build_array("${request.orderBy}", id)::text ${walked} limit 1 offset ${mostScanned - 1}`;
  return {
    // The end of the walk is sought only for a page that is not full, in the same statement, so that both see the same records.
    text: page(
      `case when count(*) < ${most} then (${end}) end`,
      `(select * ${walked} limit ${mostScanned}) as w where ${all(checked)} limit ${most}`,
    ),
    values: values.all,
  };
}

/** Builds the query that counts, up to `most` each, the records that have the value of each condition. */
export function countQuery(
  resource: ResourceDefinition,
  entity: number,
  conditions: readonly RecordCondition[],
  most: number,
): PageQuery {
  const values = new Values();
  const ofEntity = `entity = ${values.add(entity)}`;
  const counts = conditions.map(({ field, value }) => {
    const terms = all([ofEntity, ...equals(field, values.add(value))]);
    return `(select count(*) from (select 1 from ${tableName(resource)} where ${terms} order by "${field}", id limit ${most}) as c)`;
  });
  return { text: `select array[${counts.join(', ')}]::int4[] as counts`, values: values.all };
}

class Values {
  readonly all: unknown[] = [];

  add(given: unknown): string {
    // A cursor may hold anything. PostgreSQL's texts have no NUL, and nothing is between a text and the same with one behind it.
    const value = typeof given === 'string' ? given.replace(/\0.*$/s, '') : given;
    return `$${this.all.push(value)}`;
  }
}

interface Walk {
  served: readonly string[];
  checked: readonly string[];
  /** The end of the page before, if `served` does not hold it. */
  position: readonly string[];
  order: string;
}

/**
 * An equality is written as a range, and its field stays in the order: of an equal field the planner knows that it does not
 * matter for the order, and would take any index that has `id`. The position is a comparison of rows, at which the index begins.
 */
function equals(field: string, value: string): string[] {
  return [`"${field}" >= ${value}`, `"${field}" <= ${value}`];
}

function walkOf(request: RecordPageRequest, values: Values): Walk {
  const { after } = request;
  const { field, held, lower, upper, checked: others } = servedBy(request);
  const checked = others.map((condition) => termOf(condition, values));
  const served: string[] = [];
  if (upper) served.push(termOf(upper, values));
  if (field === undefined) {
    if (after) served.push(`id > ${values.add(after.id)}`);
    return { served, checked, position: [], order: 'id' };
  }
  const order = `"${field}", id`;
  if (held) {
    const value = values.add(held.value);
    served.push(
      ...(after
        ? [`(${order}) > (${value}, ${values.add(after.id)})`, `"${field}" <= ${value}`]
        : equals(field, value)),
    );
  } else if (after) served.push(`(${order}) > (${values.add(after.value)}, ${values.add(after.id)})`);
  else if (lower) served.push(termOf(lower, values));
  return { served, checked, position: [], order };
}

function sortOf(request: RecordPageRequest, rare: string, values: Values): Walk {
  const { orderBy, after } = request;
  const { held, checked: others } = servedBy(request, rare);
  if (!held) throw new Error(`no value of ${rare} is asked for`);
  const checked = others.map((condition) => termOf(condition, values));
  const order = orderBy === 'id' ? 'id' : `"${orderBy}", id`;
  const position: string[] = [];
  if (after && orderBy === 'id') position.push(`id > ${values.add(after.id)}`);
  else if (after) position.push(`(${order}) > (${values.add(after.value)}, ${values.add(after.id)})`);
  return { served: equals(rare, values.add(held.value)), checked, position, order };
}

function termOf({ field, op, value }: RecordCondition, values: Values): string {
  return `"${field}" ${operators[op]} ${values.add(value)}`;
}

function all(terms: readonly string[]): string {
  return terms.length === 0 ? 'true' : terms.join(' and ');
}
