import type { RecordCondition, RecordPage, RecordPageRequest, RecordPosition } from '../../../core/port/records.ts';
import { type Field, listFields, type ResourceDefinition } from '../../../core/records/fields.ts';
import { entityNumber, indexName, jsonOf, tableName } from './tables.ts';

/**
 * How many records are looked through for a page where the index serves only some of its conditions: some milliseconds. A
 * page that gets so far ends there, full or not, and the next one goes on behind it.
 */
export const mostScanned = 10_000;

type Value = string | number;

/** A page as it is asked of SQLite. Requests of the same `shape` share a statement and differ in `values` only. */
export interface PageQuery {
  shape: string;
  sql(): string;
  values: readonly Value[];
}

/** What a page's statement answers. */
export interface PageRow {
  json: string | null;
  n: number;
  /** Where looking through had to end, as a JSON array of order value and id; null where it did not. */
  reached: string | null;
}

/** Between the records of a page: a raw line break stands in no JSON text, so that the last record can be cut out. */
const separator = ',\n';

/**
 * The query of a page. It walks one index in the order of the page, from where the page before ended; conditions that the
 * index does not serve are checked for each record on the way. Where few records have the value of the field `rare`, all of
 * them are checked and sorted instead.
 */
export function pageQuery(request: RecordPageRequest, rare?: string): PageQuery {
  const { resource, entityId, orderBy, limit } = request;
  const { index, served, checked, order } = walkOf(request, rare);
  const isBounded = checked.length > 0 && rare === undefined;
  const conditionsOf = (terms: readonly Term[]) => terms.map(({ sql }) => sql).join(' and ');
  const valuesOf = (terms: readonly Term[]) => terms.flatMap(({ values }) => values);
  const walk = [{ sql: `entity = ${entityNumber}`, values: [entityId] }, ...served];
  const page = (columns: string, from: string) => `select group_concat(json, '${separator}') as json, count(*) as n,
    ${columns} as reached from (select ${jsonOf(listFields(resource))} as json from ${from} limit ?)`;

  if (!isBounded) {
    const terms = [...walk, ...checked];
    return {
      shape: [resource.name, index, order, conditionsOf(terms)].join(),
      sql: () => page('null', `${tableName(resource)} ${index} where ${conditionsOf(terms)} order by ${order}`),
      values: [...valuesOf(terms), limit + 1],
    };
  }
  const onTheWay = (columns: string) =>
    `select ${columns} from ${tableName(resource)} ${index} where ${conditionsOf(walk)} order by ${order}`;
  return {
    shape: [resource.name, index, order, conditionsOf(walk), 'bounded', conditionsOf(checked)].join(),
    sql: () =>
      page(
        // Looked up only for a page that is not full, in the same statement: both see the same records.
        `case when count(*) < ? then
          (${onTheWay(`json_array("${orderBy}", id)`)} limit 1 offset ${mostScanned - 1}) end`,
        `(${onTheWay('*')} limit ${mostScanned}) where ${conditionsOf(checked)}`,
      ),
    values: [limit + 1, ...valuesOf(walk), ...valuesOf(walk), ...valuesOf(checked), limit + 1],
  };
}

/** The page that a row tells. */
export function toPage(row: PageRow | undefined, { limit, orderBy }: RecordPageRequest): RecordPage {
  if (!row) return { json: '', count: 0, next: null };
  const { json, n, reached } = row;
  if (json === null || n <= limit) return { json: json ?? '', count: n, next: reached === null ? null : pair(reached) };
  // One record more than asked for was read: it only tells that there are more.
  const asked = json.slice(0, json.lastIndexOf(separator));
  return { json: asked, count: limit, next: positionOf(asked.slice(asked.lastIndexOf(separator) + 1), orderBy) };
}

/** The conditions that hold a field to one value, those first that are likely to let the fewest records through. */
export function equalRarestFirst(resource: ResourceDefinition, conditions: readonly RecordCondition[]) {
  const rank = ({ field }: RecordCondition) => rarestFirst.indexOf(resource.fields[field]?.kind ?? 'boolean');
  return conditions.filter(({ op }) => op === 'eq').sort((a, b) => rank(a) - rank(b));
}

/** A condition's value as SQLite has it. */
export function bound(value: RecordCondition['value']): Value {
  return typeof value === 'boolean' ? Number(value) : value;
}

const rarestFirst: readonly Field['kind'][] = ['text', 'instant', 'decimal', 'date', 'integer', 'enum', 'boolean'];
const operators = { eq: '=', from: '>=', to: '<=', before: '<' } as const;

interface Term {
  sql: string;
  values: Value[];
}

/**
 * Which index is walked, between which ends, and what is left to be checked. The index is named: the planner knows nothing
 * of the data and would rather walk all records in order of `id` than seek a value, half a second where there are millions.
 * Nor may it choose between two lower ends: it takes the first, and so walks again through all pages before.
 */
function walkOf({ resource, conditions, orderBy, after }: RecordPageRequest, rare: string | undefined) {
  const field = rare ?? (orderBy === 'id' ? equalRarestFirst(resource, conditions)[0]?.field : orderBy);
  const ofField = conditions.filter((condition) => condition.field === field);
  const held = ofField.find(({ op }) => op === 'eq');
  const lower = held ? undefined : ofField.find(({ op }) => op === 'from');
  const upper = held ? undefined : ofField.find(({ op }) => op === 'to' || op === 'before');
  const served = [held, upper].flatMap((condition) => (condition ? termOf(condition) : []));
  const checked = conditions.filter((one) => one !== held && one !== lower && one !== upper).map(termOf);
  // Within one value the index lies in order of id.
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

function positionOf(lastRecord: string, orderBy: string): RecordPosition {
  const record: { id: string } & Record<string, unknown> = JSON.parse(lastRecord);
  const value = record[orderBy];
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`no position in order of ${orderBy}`);
  return { value, id: record.id };
}

function pair(reached: string): RecordPosition {
  const [value, id] = JSON.parse(reached) as [Value, string]; // as the statement wrote it
  return { value, id };
}
