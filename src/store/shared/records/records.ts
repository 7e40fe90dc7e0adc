import { allFields, listFields, type ResourceDefinition } from '../../../core/fields/fields.ts';
import { chain, type MaybePromise } from '../../../core/port/maybe-promise.ts';
import {
  pageSeparator,
  type RecordPage,
  type RecordPageRequest,
  type RecordPosition,
  type RecordRow,
  type RecordRows,
  type RecordStore,
} from '../../../core/port/records.ts';
import { tableName } from '../../tables/record-names.ts';
import { type Runner, resultOf, type StatementSteps } from '../registry/statements.ts';
import { readChanges, readRemoved } from './changes.ts';
import type { ImportSession } from './import-session.ts';
import {
  countQuery,
  fewRecords,
  type PageDialect,
  pageQuery,
  rareCandidates,
  type SqlPageQuery,
} from './pages.ts';

export interface RecordEngine
  extends Pick<RecordStore, 'version' | 'import'>,
    Pick<ImportSession, 'rows'> {
  dialect: PageDialect;
  run: Runner['run'];
  first<Row>(query: SqlPageQuery): MaybePromise<Row | undefined>;
  /** What `$1` is in the SQL of the dialect: the entity or its number; undefined if it has no records. */
  find(entityId: string): MaybePromise<string | number | undefined>;
}

/** Reads the records of all resources. An engine returns a page as one JSON text, which becomes rows for `rows` and `row` alone. */
export function createRecordStore({
  dialect,
  run,
  first,
  rows,
  find,
  version,
  ...rest
}: RecordEngine): RecordStore {
  function* readPage(request: RecordPageRequest): StatementSteps<RecordPage> {
    const entity = yield* resultOf(find(request.entityId));
    if (entity === undefined || request.conditions.some(({ value }) => hasNul(value)))
      return toPage(undefined, request);
    const rare = yield* rareField(request, entity);
    const lists = shownLists(request);
    let { limit } = request;
    if (lists.length > 0) {
      const sizes = yield* resultOf(
        first<PageRow>(pageQuery(dialect, request, entity, rare, lists)),
      );
      limit = fittingRecords(sizes, limit);
    }
    const fitting = { ...request, limit };
    return toPage(
      yield* resultOf(first<PageRow>(pageQuery(dialect, fitting, entity, rare))),
      fitting,
    );
  }

  /** The field of several conditions whose value few records have, so that a page need not walk past all others. */
  function* rareField(
    request: RecordPageRequest,
    entity: string | number,
  ): StatementSteps<string | undefined> {
    const equal = rareCandidates(request);
    if (equal.length === 0) return undefined;
    const query = countQuery(dialect, request.resource, equal, entity);
    const counts = yield* resultOf(first<Record<string, number>>(query));
    return equal.find(({ field }) => (counts?.[field] ?? 0) <= fewRecords)?.field;
  }

  function* readOne(
    resource: ResourceDefinition,
    entityId: string,
    id: string,
  ): StatementSteps<string | undefined> {
    const entity = yield* resultOf(find(entityId));
    if (entity === undefined || hasNul(id)) return undefined;
    const from = `${tableName(resource)} where entity = ${dialect.entity} and id = $2`;
    const sql = () => dialect.records(allFields(resource), from);
    const row = yield* resultOf(
      first<{ json: string }>({ shape: resource.name, sql, values: [entity, id] }),
    );
    return row?.json;
  }

  return {
    ...rest,
    version,
    get: (resource, entityId, id) => run(() => readOne(resource, entityId, id)),
    row: (resource, entityId, id) =>
      chain(
        run(() => readOne(resource, entityId, id)),
        (json) => (json === undefined ? undefined : (JSON.parse(json) as RecordRow)), // as the statement wrote it
      ),
    page: (request) => run(() => readPage(request)),
    rows: (request) =>
      chain(
        run(() => readPage(request)),
        ({ json, ...page }): RecordRows => ({ ...page, rows: JSON.parse(`[${json}]`) }),
      ),
    changes: async (resource, entityId) =>
      readChanges(rows, dialect, resource, (await find(entityId)) ?? null),
    async removed(request) {
      const entity = await find(request.entityId);
      return entity === undefined
        ? { ids: [], next: null }
        : readRemoved(rows, dialect, request, entity);
    },
  };
}

/** PostgreSQL refuses this character in a text; no record has it, since imports refuse control characters. */
function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}

/** Bytes of lists, such as the services of orders, in one page: a millisecond or two. Other fields are short. */
const mostListBytes = 256 * 1024;

export interface PageRow {
  /** The records as JSON, joined by {@link pageSeparator}; null for none. */
  json: string | null;
  n: number;
  /** Where the scan had to end, as a JSON array of order value and id; null if it did not. */
  reached: string | null;
}

export function toPage(
  row: PageRow | undefined,
  { limit, orderBy }: RecordPageRequest,
): RecordPage {
  if (!row) return { json: '', count: 0, next: null };
  const { json, n, reached } = row;
  if (json === null || n <= limit)
    return { json: json ?? '', count: n, next: reached === null ? null : pair(reached) };
  const asked = json.slice(0, json.lastIndexOf(pageSeparator));
  return {
    json: asked,
    count: limit,
    next: positionOf(asked.slice(asked.lastIndexOf(pageSeparator) + 1), orderBy),
  };
}

function shownLists({ resource, include = [] }: RecordPageRequest): string[] {
  return Object.entries(listFields(resource, include)).flatMap(([name, { kind }]) =>
    kind === 'list' ? [name] : [],
  );
}

/** The number of records, at least one, whose lists together stay within {@link mostListBytes}; the row has the bytes of each record's. */
function fittingRecords(row: PageRow | undefined, limit: number): number {
  let freeBytes = mostListBytes;
  let fitting = 0;
  for (const size of (row?.json ?? '').split(pageSeparator)) {
    freeBytes -= Number(size);
    if (freeBytes < 0) return Math.max(1, fitting);
    fitting++;
  }
  return limit;
}

function positionOf(lastRecord: string, orderBy: string): RecordPosition {
  const record: { id: string } & Record<string, unknown> = JSON.parse(lastRecord);
  const value = record[orderBy];
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Error(`no position in order of ${orderBy}`);
  return { value, id: record.id };
}

function pair(reached: string): RecordPosition {
  const [value, id] = JSON.parse(reached) as [string | number, string]; // as the statement wrote it
  return { value, id };
}
