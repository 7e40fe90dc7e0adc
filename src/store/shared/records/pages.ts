import {
  type Field,
  type Fields,
  indexedFields,
  listFields,
  type ResourceDefinition,
} from '../../../core/fields/fields.ts';
import {
  pageSeparator,
  type RecordCondition,
  type RecordPageRequest,
  type RecordPosition,
} from '../../../core/port/records.ts';
import { mostSorted } from '../../../core/records/parameters.ts';
import { indexName, tableName } from '../../tables/record-names.ts';

/** Records scanned for a page whose index serves only some of its conditions. The next page continues there. */
export const mostScanned = 10_000;

/** Number of records with one value that are scanned and sorted for a page without an order of its own. */
const fewRecords = 1000;

/** A page of a list of which one part is read: the records with a value of the order's field, or those without. */
export interface PartialPageRequest extends RecordPageRequest {
  part?: 'values' | 'nulls';
}

export interface PageDialect {
  /** SQL for the number of the entity that is bound as `$1`. */
  entity: string;
  /** SQL for the last change of a table of records before the first import that was recorded. */
  firstChange(table: string): string;
  walked(table: string, index: string | undefined): string;
  /** Selects each record of a FROM clause as the text of its JSON, named `json`. */
  records(fields: Fields, from: string): string;
  array: string;
  /** SQL for a decimal as the double that a cursor has. */
  double(column: string): string;
  /**
   * For a planner that chooses the index itself. An equality is written as a range, and its field stays in the order. The
   * planner knows that an equal field does not matter for the order, and would take any index that has `id`. Records with a
   * rare value are found apart, in the order of their index: the planner must not search the index of the page for them.
   */
  choosesIndex: boolean;
}

/** Queries of the same `shape` share a statement and differ in `values` (`$1`, `$2`) only. */
export interface SqlPageQuery {
  shape: string;
  sql(): string;
  values: readonly unknown[];
}

/**
 * The query of a page: walks one index, or sorts all records that the conditions on `rareField` leave. `sizesOf` asks for bytes of
 * lists.
 */
export function pageQuery(
  dialect: PageDialect,
  request: PartialPageRequest,
  entity: string | number,
  rareField?: string,
  sizesOf?: readonly string[],
): SqlPageQuery {
  const { resource, orderBy, limit, include = [] } = request;
  const { values, indexAt } = createValues();
  indexAt(entity);
  const { field, walk, checked, order } = walkOf(dialect, request, indexAt, rareField);
  const maxRows = indexAt(limit + 1);

  const walkConditions = [`entity = ${dialect.entity}`, ...walk];
  const table = walkedTable(dialect, resource, field);
  const sortsRare = rareField !== undefined && dialect.choosesIndex;
  const boundsScan = rareField === undefined && checked.length > 0;

  const scanLimit = request.sort ? mostSorted.filtered : mostScanned;

  const sql = () => {
    const pageFrom = (fromClause: string, reached = 'null') => {
      const sizeSum = sizesOf?.map((column) => `octet_length("${column}")`).join(' + ');
      const pageRecords = sizeSum
        ? `select cast(${sizeSum} as text) as json from ${fromClause}`
        : dialect.records(listFields(resource, include), fromClause);
      return `select string_agg(json, '${pageSeparator}') as json, cast(count(*) as int) as n,
        cast(${reached} as text) as reached from (${pageRecords}) as p`;
    };

    // JSON is written of the records of the page alone, and no order takes a number's JSON for its column.
    const firstOf = (records: string) => {
      const page = `${records} order by ${order} limit ${maxRows}`;
      return request.sort ? `(select * from ${page}) as s` : page;
    };

    if (sortsRare) {
      return `with found as materialized (
          select * from ${table} where ${allOf(walkConditions)} order by ${orderOf(rareField)})
        ${pageFrom(firstOf(`found where ${allOf(checked)}`))}`;
    }
    if (!boundsScan) {
      const conditions = allOf([...walkConditions, ...checked]);
      return pageFrom(firstOf(`${table} where ${conditions}`));
    }

    const walkedRecords = `from ${table} where ${allOf(walkConditions)} order by ${order}`;
    const scanEnd = `select ${dialect.array}("${orderBy}", id) ${walkedRecords}
      limit 1 offset ${scanLimit - 1}`;
    return pageFrom(
      `(select * ${walkedRecords} limit ${scanLimit}) as w where ${allOf(checked)} limit ${maxRows}`,
      // Evaluated only for a page that is not full, in the same statement, so that both see the same records.
      `case when count(*) < ${maxRows} then (${scanEnd}) end`,
    );
  };

  const shapeParts = [
    resource.name,
    include.join('+'),
    sizesOf?.length,
    request.sort,
    rareField,
    field,
    order,
    allOf(walk),
    allOf(checked),
  ];
  return { shape: shapeParts.join(), sql, values };
}

/**
 * The fields whose conditions may leave few records, so that a page need not walk past all others; `id` stands for the whole list.
 * Without an index for the order asked for, there must be one of them.
 */
export function rareCandidates(request: RecordPageRequest): string[] {
  const { conditions, sort, orderBy, resource } = request;
  const equalFields = equalRarestFirst(request).map(({ field }) => field);
  if (!sort) return conditions.length < 2 ? [] : equalFields;

  const fields = new Set([...equalFields, ...conditions.map(({ field }) => field)]);
  return indexedFields(resource).includes(orderBy) ? [...fields] : [...fields, 'id'];
}

/** The most records for which a candidate serves. */
export function limitOf({ sort }: RecordPageRequest, candidate: string): number {
  if (candidate === 'id') return mostSorted.list;
  return sort ? mostSorted.filtered : fewRecords;
}

/** Builds the query that counts the records that the conditions on each candidate leave, up to one more than its limit. */
export function countQuery(
  dialect: PageDialect,
  request: RecordPageRequest,
  candidates: readonly string[],
  entity: string | number,
): SqlPageQuery {
  const { resource, conditions } = request;
  const { values, indexAt } = createValues();
  indexAt(entity);
  const termsOf = ({ field, op, value }: RecordCondition) => {
    const place = indexAt(value);
    if (op !== 'eq') return `"${field}" ${operators[op]} ${place}`;
    return `"${field}" >= ${place} and "${field}" <= ${place}`;
  };
  const counts = candidates.map((field) => {
    const table = walkedTable(dialect, resource, field);
    const terms = conditions.filter((condition) => condition.field === field).map(termsOf);
    return `(select cast(count(*) as int) from (select 1 from ${table}
      where ${allOf([`entity = ${dialect.entity}`, ...terms])}
      order by ${orderOf(field)} limit ${limitOf(request, field) + 1}) as c) as "${field}"`;
  });

  const sql = `select ${counts.join(', ')}`;
  return { shape: sql, sql: () => sql, values };
}

interface Walk {
  /** The field whose index serves a page; undefined for the index of `id`. */
  field: string | undefined;
  /** The bounds of the walk. */
  walk: string[];
  /** The conditions to check for each record on the way. */
  checked: string[];
  order: string;
}

/**
 * Chooses the index and the order of a page. There is only one lower bound, since of two SQLite takes the first, and would walk
 * again through all pages before; PostgreSQL begins at a comparison of rows.
 */
function walkOf(
  { choosesIndex, double }: PageDialect,
  request: PartialPageRequest,
  indexAt: (value: unknown) => string,
  rareField: string | undefined,
): Walk {
  const { resource, conditions, orderBy, sort, after, part } = request;
  const orderField = orderBy === 'id' ? equalRarestFirst(request)[0]?.field : orderBy;
  const field = rareField ?? orderField;

  const fieldConditions = conditions.filter((condition) => condition.field === field);
  const equality = fieldConditions.find(({ op }) => op === 'eq');
  const rangeConditions = equality ? [] : fieldConditions;
  const lowerBound = rangeConditions.find(({ op }) => op === 'from');
  const upperBound = rangeConditions.find(({ op }) => op === 'to' || op === 'before');

  const conditionSql = ({ field: column, op, value }: RecordCondition) =>
    `"${column}" ${operators[op]} ${indexAt(value)}`;
  const walkedConditions = [equality, lowerBound, upperBound];
  const checked = conditions
    .filter((condition) => !walkedConditions.includes(condition))
    .map(conditionSql);

  // Within one value the index is in order of id.
  const isById = orderBy === 'id' || (equality !== undefined && orderBy === field);
  const equalPlace = choosesIndex && equality ? indexAt(equality.value) : undefined;
  const isRange = equalPlace !== undefined && rareField === undefined;
  const sortField = (isRange ? field : undefined) ?? (isById ? 'id' : orderBy);
  const isDecimal = resource.fields[sortField]?.kind === 'decimal';
  const sortColumn = isDecimal ? double(`"${sortField}"`) : `"${sortField}"`;
  const order = orderOf(sortField, sort, sortColumn);
  const isBehind = sort === 'desc' ? '<' : '>';

  // A cursor may hold anything. PostgreSQL's texts have no NUL, and nothing is between a text and the same with one behind it.
  const placeOfText = (value: RecordPosition['value']) =>
    indexAt(typeof value === 'string' ? value.replace(/\0.*$/s, '') : value);
  const behindPosition = ({ value, id }: RecordPosition) => {
    if (sortField === 'id' || part === 'nulls') return `id ${isBehind} ${placeOfText(id)}`;
    const valuePlace = isRange ? equalPlace : placeOfText(value);
    return `(${sortColumn}, id) ${isBehind} (${valuePlace}, ${placeOfText(id)})`;
  };
  const positionSql = after && behindPosition(after);
  const isSorted = rareField !== undefined && (choosesIndex || !isById);
  if (positionSql && isSorted) checked.push(positionSql);

  const walkStart = isSorted ? undefined : positionSql;
  const walk: string[] = [];
  const partSql = part && `"${orderBy}" is ${part === 'nulls' ? 'null' : 'not null'}`;
  if (partSql) (field === orderBy ? walk : checked).push(partSql);
  if (equality && !equalPlace) walk.push(conditionSql(equality));

  const boundSql = (operator: string, bound: RecordCondition | undefined) =>
    equalPlace ? `"${field}" ${operator} ${equalPlace}` : bound && conditionSql(bound);
  const lowerSql = () => boundSql('>=', lowerBound);
  const upperSql = () => boundSql('<=', upperBound);
  const [nearSql, farSql] = sort === 'desc' ? [upperSql, lowerSql] : [lowerSql, upperSql];
  const boundTerms = [farSql(), walkStart ?? nearSql()];
  walk.push(...boundTerms.filter((term) => term !== undefined));
  return { field, walk, checked, order };
}

/** The records are in order of `id` themselves. */
function walkedTable(dialect: PageDialect, resource: ResourceDefinition, field = 'id'): string {
  const index = field === 'id' ? undefined : indexName(resource, field);
  return dialect.walked(tableName(resource), index);
}

function orderOf(
  field: string,
  sort: RecordPageRequest['sort'] = 'asc',
  column = `"${field}"`,
): string {
  const columns = field === 'id' ? ['id'] : [column, 'id'];
  return columns.map((column) => (sort === 'desc' ? `${column} desc` : column)).join(', ');
}

const operators = { eq: '=', from: '>=', to: '<=', before: '<' } as const;

function allOf(terms: readonly string[]): string {
  return terms.length === 0 ? 'true' : terms.join(' and ');
}

/** The equality conditions; the ones that probably match the fewest records come first. */
function equalRarestFirst({ resource, conditions }: RecordPageRequest): RecordCondition[] {
  const rank = ({ field }: RecordCondition) =>
    rarestFirst.indexOf(resource.fields[field]?.kind ?? 'boolean');
  const equalities = conditions.filter(({ op }) => op === 'eq');
  return equalities.sort((a, b) => rank(a) - rank(b));
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

interface BoundValues {
  values: unknown[];
  /** Binds a value and returns its place, such as `$2`. */
  indexAt(value: unknown): string;
}

function createValues(): BoundValues {
  const values: unknown[] = [];
  return { values, indexAt: (value) => `$${values.push(value)}` };
}
