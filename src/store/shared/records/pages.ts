import {
  type Field,
  type Fields,
  listFields,
  type ResourceDefinition,
} from '../../../core/fields/fields.ts';
import {
  pageSeparator,
  type RecordCondition,
  type RecordPageRequest,
  type RecordPosition,
} from '../../../core/port/records.ts';
import { indexName, tableName } from '../../tables/record-names.ts';

/** Records scanned for a page whose index serves only some of its conditions: some milliseconds. The next page continues there. */
export const mostScanned = 10_000;

/** Number of records with one value that are scanned and sorted for a page: about a millisecond. */
export const fewRecords = 1000;

export interface PageDialect {
  /** SQL for the number of the entity that is bound as `$1`. */
  entity: string;
  /** SQL for the last change of a table of records before the first import that was recorded. */
  firstChange(table: string): string;
  walked(table: string, index: string | undefined): string;
  /** Selects each record of a FROM clause as the text of its JSON, named `json`. */
  records(fields: Fields, from: string): string;
  array: string;
  /**
   * For a planner that chooses the index itself. An equality is written as a range, and its field stays in the order: of an equal
   * field it knows that it does not matter for the order, and would take any index that has `id`. Records with a rare value are
   * found apart, in the order of their index: it must not walk that of the page instead, in search of few records.
   */
  choosesIndex: boolean;
}

/** Queries of the same `shape` share a statement and differ in `values` (`$1`, `$2`) only. */
export interface SqlPageQuery {
  shape: string;
  sql(): string;
  values: readonly unknown[];
}

/** The query of a page: walks one index, or sorts all with the value of `rare`. `sizesOf` asks for bytes of lists. */
export function pageQuery(
  dialect: PageDialect,
  request: RecordPageRequest,
  entity: string | number,
  rare?: string,
  sizesOf?: readonly string[],
): SqlPageQuery {
  const { resource, orderBy, limit, include = [] } = request;
  const { values, place } = createValues();
  place(entity);
  const { field, walk, checked, order } = walkOf(dialect, request, place, rare);
  const maxRows = place(limit + 1);
  const where = [`entity = ${dialect.entity}`, ...walk];
  const table = dialect.walked(tableName(resource), field && indexName(resource, field));
  const isFound = rare !== undefined && dialect.choosesIndex;
  const isBounded = rare === undefined && checked.length > 0;

  const sql = () => {
    const page = (from: string, reached = 'null') => {
      const sizes = sizesOf?.map((name) => `octet_length("${name}")`).join(' + ');
      const shown = sizes
        ? `select cast(${sizes} as text) as json from ${from}`
        : dialect.records(listFields(resource, include), from);
      return `select string_agg(json, '${pageSeparator}') as json, cast(count(*) as int) as n,
        cast(${reached} as text) as reached from (${shown}) as p`;
    };
    if (isFound) {
      return `with found as materialized (select * from ${table} where ${all(where)} order by "${rare}", id)
        ${page(`found where ${all(checked)} order by ${order} limit ${maxRows}`)}`;
    }
    if (!isBounded)
      return page(
        `${table} where ${all([...where, ...checked])} order by ${order} limit ${maxRows}`,
      );
    const walked = `from ${table} where ${all(where)} order by ${order}`;
    const scanEnd = `select ${dialect.array}("${orderBy}", id) ${walked} limit 1 offset ${mostScanned - 1}`;
    return page(
      `(select * ${walked} limit ${mostScanned}) as w where ${all(checked)} limit ${maxRows}`,
      // Evaluated only for a page that is not full, in the same statement, so that both see the same records.
      `case when count(*) < ${maxRows} then (${scanEnd}) end`,
    );
  };
  const names = [resource.name, include.join('+'), sizesOf?.length, rare, field];
  return { shape: [...names, order, all(walk), all(checked)].join(), sql, values };
}

/** The conditions one of which may be served by a value that few records have, so that a page need not walk past all others. */
export function rareCandidates(request: RecordPageRequest): RecordCondition[] {
  return request.conditions.length < 2 ? [] : equalRarestFirst(request);
}

/** Builds the query that counts, up to one more than few, the records that have the value of each condition, named by its field. */
export function countQuery(
  dialect: PageDialect,
  resource: ResourceDefinition,
  conditions: readonly RecordCondition[],
  entity: string | number,
): SqlPageQuery {
  const countOf = ({ field }: RecordCondition, n: number) =>
    `(select cast(count(*) as int) from (select 1 from ${dialect.walked(tableName(resource), indexName(resource, field))}
      where entity = ${dialect.entity} and "${field}" >= $${n + 2} and "${field}" <= $${n + 2}
      order by "${field}", id limit ${fewRecords + 1}) as c) as "${field}"`;
  return {
    shape: [resource.name, 'counts', ...conditions.map(({ field }) => field)].join(),
    sql: () => `select ${conditions.map(countOf).join(', ')}`,
    values: [entity, ...conditions.map(({ value }) => value)],
  };
}

/**
 * The field whose index serves a page, that of `id` if it is undefined; the bounds of the walk, the conditions to check for each
 * record on the way, and the order. There is only one lower bound, since of two SQLite takes the first, and would walk again
 * through all pages before; PostgreSQL begins at a comparison of rows.
 */
function walkOf(
  { choosesIndex }: PageDialect,
  request: RecordPageRequest,
  placeOf: (value: unknown) => string,
  rare: string | undefined,
): { field: string | undefined; walk: string[]; checked: string[]; order: string } {
  const { conditions, orderBy, after } = request;
  const field = rare ?? (orderBy === 'id' ? equalRarestFirst(request)[0]?.field : orderBy);
  const ofField = conditions.filter((condition) => condition.field === field);
  const equality = ofField.find(({ op }) => op === 'eq');
  const lower = equality ? undefined : ofField.find(({ op }) => op === 'from');
  const upper = equality ? undefined : ofField.find(({ op }) => op === 'to' || op === 'before');
  const termOf = ({ field: column, op, value }: RecordCondition) =>
    `"${column}" ${operators[op]} ${placeOf(value)}`;
  const checked = conditions
    .filter((one) => one !== equality && one !== lower && one !== upper)
    .map(termOf);

  // Within one value the index is in order of id.
  const isById = orderBy === 'id' || (equality !== undefined && orderBy === field);
  const ranged = choosesIndex && equality ? placeOf(equality.value) : undefined;
  const isRange = ranged !== undefined && rare === undefined;
  const order = isRange ? `"${field}", id` : isById ? 'id' : `"${orderBy}", id`;
  // A cursor may hold anything. PostgreSQL's texts have no NUL, and nothing is between a text and the same with one behind it.
  const endOf = (value: string | number) =>
    placeOf(typeof value === 'string' ? value.replace(/\0.*$/s, '') : value);
  const behind = ({ value, id }: RecordPosition) =>
    order === 'id'
      ? `id > ${endOf(id)}`
      : `(${order}) > (${isRange ? ranged : endOf(value)}, ${endOf(id)})`;
  const position = after && behind(after);
  const isSorted = rare !== undefined && (choosesIndex || !isById);
  if (position && isSorted) checked.push(position);
  const begin = isSorted ? undefined : position;
  const walk = ranged
    ? [begin ?? `"${field}" >= ${ranged}`, `"${field}" <= ${ranged}`]
    : [equality && termOf(equality), upper && termOf(upper), begin ?? (lower && termOf(lower))];
  return { field, walk: walk.filter((term) => term !== undefined), checked, order };
}

const operators = { eq: '=', from: '>=', to: '<=', before: '<' } as const;

function all(terms: readonly string[]): string {
  return terms.length === 0 ? 'true' : terms.join(' and ');
}

/** The equality conditions, those first that probably match the fewest records. */
function equalRarestFirst({ resource, conditions }: RecordPageRequest): RecordCondition[] {
  const rank = ({ field }: RecordCondition) =>
    rarestFirst.indexOf(resource.fields[field]?.kind ?? 'boolean');
  return conditions.filter(({ op }) => op === 'eq').sort((a, b) => rank(a) - rank(b));
}

const rarestFirst: readonly Field['kind'][] = [
  'text',
  'instant',
  'decimal',
  'date',
  'integer',
  'enum',
  'boolean',
];

function createValues(): { values: unknown[]; place: (value: unknown) => string } {
  const values: unknown[] = [];
  return { values, place: (value) => `$${values.push(value)}` };
}
