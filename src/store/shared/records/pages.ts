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

/** Records scanned for a page whose index serves only some of its conditions. The next page continues there. */
export const mostScanned = 10_000;

/** Number of records with one value that are scanned and sorted for a page. */
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

/** The query of a page: walks one index, or sorts all with the value of `rareField`. `sizesOf` asks for bytes of lists. */
export function pageQuery(
  dialect: PageDialect,
  request: RecordPageRequest,
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
  const index = field && indexName(resource, field);
  const table = dialect.walked(tableName(resource), index);
  const sortsRare = rareField !== undefined && dialect.choosesIndex;
  const boundsScan = rareField === undefined && checked.length > 0;

  const sql = () => {
    const pageFrom = (fromClause: string, reached = 'null') => {
      const sizeSum = sizesOf?.map((column) => `octet_length("${column}")`).join(' + ');
      const pageRecords = sizeSum
        ? `select cast(${sizeSum} as text) as json from ${fromClause}`
        : dialect.records(listFields(resource, include), fromClause);
      return `select string_agg(json, '${pageSeparator}') as json, cast(count(*) as int) as n,
        cast(${reached} as text) as reached from (${pageRecords}) as p`;
    };

    if (sortsRare) {
      return `with found as materialized (
          select * from ${table} where ${allOf(walkConditions)} order by "${rareField}", id)
        ${pageFrom(`found where ${allOf(checked)} order by ${order} limit ${maxRows}`)}`;
    }
    if (!boundsScan) {
      const conditions = allOf([...walkConditions, ...checked]);
      return pageFrom(`${table} where ${conditions} order by ${order} limit ${maxRows}`);
    }

    const walkedRecords = `from ${table} where ${allOf(walkConditions)} order by ${order}`;
    const scanEnd = `select ${dialect.array}("${orderBy}", id) ${walkedRecords}
      limit 1 offset ${mostScanned - 1}`;
    return pageFrom(
      `(select * ${walkedRecords} limit ${mostScanned}) as w where ${allOf(checked)} limit ${maxRows}`,
      // Evaluated only for a page that is not full, in the same statement, so that both see the same records.
      `case when count(*) < ${maxRows} then (${scanEnd}) end`,
    );
  };

  const shapeParts = [
    resource.name,
    include.join('+'),
    sizesOf?.length,
    rareField,
    field,
    order,
    allOf(walk),
    allOf(checked),
  ];
  return { shape: shapeParts.join(), sql, values };
}

/** The conditions that a rare value may serve, of which few records have one, so that a page need not walk past all others. */
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
  const countOf = ({ field }: RecordCondition, index: number) => {
    const table = dialect.walked(tableName(resource), indexName(resource, field));
    const place = `$${index + 2}`;
    return `(select cast(count(*) as int) from (select 1 from ${table}
      where entity = ${dialect.entity} and "${field}" >= ${place} and "${field}" <= ${place}
      order by "${field}", id limit ${fewRecords + 1}) as c) as "${field}"`;
  };

  const fields = conditions.map(({ field }) => field);
  return {
    shape: [resource.name, 'counts', ...fields].join(),
    sql: () => `select ${conditions.map(countOf).join(', ')}`,
    values: [entity, ...conditions.map(({ value }) => value)],
  };
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
  { choosesIndex }: PageDialect,
  request: RecordPageRequest,
  indexAt: (value: unknown) => string,
  rareField: string | undefined,
): Walk {
  const { conditions, orderBy, after } = request;
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
  const order = isRange ? `"${field}", id` : orderOf(orderBy, isById);

  // A cursor may hold anything. PostgreSQL's texts have no NUL, and nothing is between a text and the same with one behind it.
  const placeOfText = (value: string | number) =>
    indexAt(typeof value === 'string' ? value.replace(/\0.*$/s, '') : value);
  const behindPosition = ({ value, id }: RecordPosition) => {
    if (order === 'id') return `id > ${placeOfText(id)}`;
    const valuePlace = isRange ? equalPlace : placeOfText(value);
    return `(${order}) > (${valuePlace}, ${placeOfText(id)})`;
  };
  const positionSql = after && behindPosition(after);
  const isSorted = rareField !== undefined && (choosesIndex || !isById);
  if (positionSql && isSorted) checked.push(positionSql);

  const walkStart = isSorted ? undefined : positionSql;
  if (equalPlace) {
    const walk = [walkStart ?? `"${field}" >= ${equalPlace}`, `"${field}" <= ${equalPlace}`];
    return { field, walk, checked, order };
  }
  const walk = [
    equality && conditionSql(equality),
    upperBound && conditionSql(upperBound),
    walkStart ?? (lowerBound && conditionSql(lowerBound)),
  ];
  return { field, walk: walk.filter((term) => term !== undefined), checked, order };
}

function orderOf(orderBy: string, isById: boolean): string {
  return isById ? 'id' : `"${orderBy}", id`;
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
