import { allFields, type Field, listFields, type ResourceDefinition } from '../../core/fields.ts';
import type { RecordPage, RecordPageRequest, RecordPosition, RecordStore } from '../../core/store.ts';
import type { Connection, Statement } from './driver.ts';
import { translating } from './errors.ts';
import { lazily } from './lazily.ts';
import { entityNumber, indexName, tableName } from './records-tables.ts';

/** How many different page statements are kept prepared; clients ask in few shapes. */
const keptStatements = 500;

/** How many records of one value may be looked through and sorted for a page: about a millisecond. */
const fewRecords = 1000;

/** Between the records of a page: a raw line break stands in no JSON text, so that the last record can be cut out. */
const separator = ',\n';

interface PageRow {
  json: string | null;
  n: number;
}

/**
 * Reads records. A page leaves SQLite as one text of JSON: the columns go through json_object in the order of the index
 * that serves the page, and no row becomes an object here. `ownChanges` counts the changes made by the connection itself,
 * for which SQLite's number of versions stands still; both only grow, so that their sum tells of both.
 */
export function createRecordStore(
  connection: () => Connection,
  path: string,
  ownChanges: () => number,
  importRecords: RecordStore['import'],
): RecordStore {
  const version = lazily(() => connection().prepare('PRAGMA data_version').pluck());
  const pages = new Map<string, Statement<PageRow>>();
  const records = new Map<string, Statement<string>>();
  const counts = new Map<string, Statement<number>>();

  const countStatement = (resource: ResourceDefinition, field: string): Statement<number> => {
    const index = indexName(resource, field);
    let statement = counts.get(index);
    if (!statement) {
      const sql = `select count(*) from (select 1 from ${tableName(resource)} indexed by "${index}"
        where entity = ${entityNumber} and "${field}" = ? limit ${fewRecords + 1})`;
      statement = connection().prepare<unknown[], number>(sql).pluck() as Statement<number>; // pluck gives the only column
      counts.set(index, statement);
    }
    return statement;
  };

  /** Of several conditions, the field whose value few records have: without it one of them could cost a walk over all. */
  const rareField = ({ resource, entityId, conditions }: RecordPageRequest): string | undefined => {
    if (conditions.length < 2) return undefined;
    return equalRarestFirst(resource, conditions).find(
      ({ field, value }) => Number(countStatement(resource, field).get(entityId, bound(value))) <= fewRecords,
    )?.field;
  };

  const pageStatement = (request: RecordPageRequest): Statement<PageRow> => {
    const sought = rareField(request);
    const shape = `${shapeOf(request)} ${sought}`;
    let statement = pages.get(shape);
    if (!statement) {
      if (pages.size >= keptStatements) pages.clear();
      statement = connection().prepare<unknown[], PageRow>(pageSql(request, sought));
      pages.set(shape, statement);
    }
    return statement;
  };

  const recordStatement = (resource: ResourceDefinition): Statement<string> => {
    let statement = records.get(resource.name);
    if (!statement) {
      const sql = `select ${jsonOf(allFields(resource))} from ${tableName(resource)} where entity = ${entityNumber} and id = ?`;
      statement = connection().prepare<unknown[], string>(sql).pluck() as Statement<string>; // pluck gives the only column
      records.set(resource.name, statement);
    }
    return statement;
  };

  return {
    version: () => translating(path, () => Number(version().get()) + ownChanges()),
    get: (resource, entityId, id) => translating(path, () => recordStatement(resource).get(entityId, id)),
    page: (request) =>
      translating(path, () => {
        const values = request.conditions.map(({ value }) => bound(value));
        const after = request.after ? positionValues(request) : [];
        const row = pageStatement(request).get(request.entityId, ...values, ...after, request.limit + 1);
        return toPage(row, request);
      }),
    import: importRecords,
  };
}

/** What two requests must share to use one statement. */
function shapeOf({ resource, conditions, orderBy, after }: RecordPageRequest): string {
  return `${resource.name} ${orderBy}${after ? ' after' : ''} ${conditions.map(({ field, op }) => `${field} ${op}`).join()}`;
}

const operators = { eq: '=', from: '>=', to: '<=', before: '<' } as const;

/**
 * The statement of a page; exported for the test that every page is served by an index, without a sort. Only where the
 * few records with the value of a field are `sought` are they sorted.
 */
export function pageSql({ resource, conditions, orderBy, after }: RecordPageRequest, sought?: string): string {
  const where = [`entity = ${entityNumber}`, ...conditions.map(({ field, op }) => `"${field}" ${operators[op]} ?`)];
  if (after) where.push(orderBy === 'id' ? 'id > ?' : `("${orderBy}", id) > (?, ?)`);
  // An order by a field that is held equal is an order by id within it.
  const order = orderBy === 'id' ? 'id' : `"${orderBy}", id`;
  return `select group_concat(json, '${separator}') as json, count(*) as n from (
    select ${jsonOf(listFields(resource))} as json from ${tableName(resource)} ${indexOf(resource, conditions, orderBy, sought)}
    where ${where.join(' and ')} order by ${order} limit ?)`;
}

/**
 * Names the index of a page. The planner knows nothing of the data and would rather walk all records in order of `id`
 * than seek a value: half a second where there are millions. Of several values the one that is likely the rarest is sought.
 */
function indexOf(
  resource: ResourceDefinition,
  conditions: Conditions,
  orderBy: string,
  sought: string | undefined,
): string {
  const field = sought ?? (orderBy === 'id' ? equalRarestFirst(resource, conditions)[0]?.field : orderBy);
  return field === undefined ? 'not indexed' : `indexed by "${indexName(resource, field)}"`;
}

type Conditions = RecordPageRequest['conditions'];

function equalRarestFirst(resource: ResourceDefinition, conditions: Conditions): Conditions {
  const rank = ({ field }: { field: string }) => rarestFirst.indexOf(resource.fields[field]?.kind ?? 'boolean');
  return conditions.filter(({ op }) => op === 'eq').sort((a, b) => rank(a) - rank(b));
}

function bound(value: Conditions[number]['value']): string | number {
  return typeof value === 'boolean' ? Number(value) : value;
}

const rarestFirst: readonly Field['kind'][] = ['text', 'instant', 'decimal', 'date', 'integer', 'enum', 'boolean'];

function positionValues({ orderBy, after }: RecordPageRequest): (string | number)[] {
  if (!after) return [];
  return orderBy === 'id' ? [after.id] : [after.value, after.id];
}

/** SQL that writes a record as JSON, in the order of the declaration. */
function jsonOf(fields: Readonly<Record<string, Field>>): string {
  const pairs = Object.entries(fields).map(([name, field]) => `'${name}', ${jsonValueOf(name, field)}`);
  return `json_object(${pairs.join(', ')})`;
}

function jsonValueOf(name: string, field: Field): string {
  if (field.kind === 'boolean') return `case "${name}" when 1 then json('true') when 0 then json('false') end`;
  if (field.kind === 'list') return `json("${name}")`;
  return `"${name}"`;
}

function toPage(row: PageRow | undefined, { limit, orderBy }: RecordPageRequest): RecordPage {
  if (!row?.json) return { json: '', count: 0, next: null };
  if (row.n <= limit) return { json: row.json, count: row.n, next: null };
  // One record more than asked for was read: it only tells that there are more.
  const json = row.json.slice(0, row.json.lastIndexOf(separator));
  return { json, count: limit, next: positionOf(json.slice(json.lastIndexOf(separator) + 1), orderBy) };
}

function positionOf(lastRecord: string, orderBy: string): RecordPosition {
  const record: { id: string } & Record<string, unknown> = JSON.parse(lastRecord);
  const value = record[orderBy];
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`no position in order of ${orderBy}`);
  return { value, id: record.id };
}
