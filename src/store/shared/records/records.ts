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
import { tooManyToSort } from '../../../core/records/queries.ts';
import { tableName } from '../../tables/record-names.ts';
import { type Runner, resultOf, type StatementSteps } from '../registry/statements.ts';
import { readChanges, readRemoved } from './changes.ts';
import type { ImportSession } from './import-session.ts';
import {
  countQuery,
  limitOf,
  type PageDialect,
  type PartialPageRequest,
  pageQuery,
  rareCandidates,
  type SqlPageQuery,
} from './pages.ts';

export interface RecordEngine
  extends Pick<RecordStore, 'changeCounter' | 'import'>,
    Pick<ImportSession, 'rows'> {
  dialect: PageDialect;
  run: Runner['run'];
  first<Row>(query: SqlPageQuery): MaybePromise<Row | undefined>;
  /** The value of `$1` in the SQL of the dialect: the entity or its number; undefined if it has no records. */
  find(entityId: string): MaybePromise<string | number | undefined>;
}

/** Reads the records of all resources. An engine returns a page as one JSON text, which becomes rows for `rows` and `row` alone. */
export function createRecordStore({
  dialect,
  run,
  first,
  rows,
  find,
  changeCounter,
  ...rest
}: RecordEngine): RecordStore {
  function* readPage(request: RecordPageRequest): StatementSteps<RecordPage> {
    const entity = yield* resultOf(find(request.entityId));
    const matchesNone = request.conditions.some(({ value }) => hasNul(value));
    if (entity === undefined || matchesNone) return toPage(undefined, request);

    const rareValueField = yield* rareField(request, entity);
    const { resource, orderBy, sort, conditions } = request;
    const isNullable = !resource.fields[orderBy]?.required && orderBy in resource.fields;
    if (!sort || !isNullable || conditions.some(({ field }) => field === orderBy)) {
      return yield* readPart(request, entity, rareValueField);
    }
    return yield* readSorted(request, entity, rareValueField);
  }

  /** Reads the records that have a value, then those without: only so does an index serve both directions. */
  function* readSorted(
    request: RecordPageRequest,
    entity: string | number,
    rareValueField: string | undefined,
  ): StatementSteps<RecordPage> {
    const { after, limit } = request;
    const isInNulls = after?.value === null;
    let valuesPage: RecordPage = { json: '', count: 0, next: null };
    if (!isInNulls) {
      valuesPage = yield* readPart({ ...request, part: 'values' }, entity, rareValueField);
      if (valuesPage.next) return valuesPage;
      if (valuesPage.count === limit) return { ...valuesPage, next: { value: null, id: '' } };
    }

    const nullsRequest = {
      ...request,
      part: 'nulls',
      after: isInNulls && after.id !== '' ? after : undefined,
      limit: limit - valuesPage.count,
    } as const;
    const nullsPage = yield* readPart(nullsRequest, entity, rareValueField);
    const pageTexts = [valuesPage.json, nullsPage.json].filter((json) => json !== '');
    return {
      json: pageTexts.join(pageSeparator),
      count: valuesPage.count + nullsPage.count,
      next: nullsPage.next,
    };
  }

  function* readPart(
    request: PartialPageRequest,
    entity: string | number,
    rareValueField: string | undefined,
  ): StatementSteps<RecordPage> {
    const sizedLists = shownLists(request);
    let { limit } = request;
    if (sizedLists.length > 0) {
      const sizesQuery = pageQuery(dialect, request, entity, rareValueField, sizedLists);
      const sizesRow = yield* resultOf(first<PageRow>(sizesQuery));
      limit = fittingRecords(sizesRow, limit);
    }

    const fittingRequest = { ...request, limit };
    const query = pageQuery(dialect, fittingRequest, entity, rareValueField);
    const pageRow = yield* resultOf(first<PageRow>(query));
    return toPage(pageRow, fittingRequest);
  }

  /**
   * The field whose conditions leave few records, so that a page need not walk past all others. Throws `bad_parameter` if a sorted
   * page without an index has none.
   */
  function* rareField(
    request: RecordPageRequest,
    entity: string | number,
  ): StatementSteps<string | undefined> {
    const candidates = rareCandidates(request);
    if (candidates.length === 0) return undefined;
    const query = countQuery(dialect, request, candidates, entity);
    const counts = yield* resultOf(first<Record<string, number>>(query));
    const rare = candidates.find((field) => (counts?.[field] ?? 0) <= limitOf(request, field));
    if (rare === undefined && candidates.includes('id')) {
      throw tooManyToSort(request.resource, request.orderBy);
    }
    return rare;
  }

  function* readOne(
    resource: ResourceDefinition,
    entityId: string,
    id: string,
  ): StatementSteps<string | undefined> {
    const entity = yield* resultOf(find(entityId));
    if (entity === undefined || hasNul(id)) return undefined;
    const fromClause = `${tableName(resource)} where entity = ${dialect.entity} and id = $2`;
    const sql = () => dialect.records(allFields(resource), fromClause);
    const query = { shape: resource.name, sql, values: [entity, id] };
    const recordRow = yield* resultOf(first<{ json: string }>(query));
    return recordRow?.json;
  }

  return {
    ...rest,
    changeCounter,
    get: (resource, entityId, id) => run(() => readOne(resource, entityId, id)),
    row: (resource, entityId, id) =>
      chain(
        run(() => readOne(resource, entityId, id)),
        (json) => {
          if (json === undefined) return undefined;
          return JSON.parse(json) as RecordRow; // as the statement wrote it
        },
      ),
    page: (request) => run(() => readPage(request)),
    rows: (request) =>
      chain(
        run(() => readPage(request)),
        ({ json, ...page }): RecordRows => {
          const rows = JSON.parse(`[${json}]`);
          return { ...page, rows };
        },
      ),
    async changes(resource, entityId) {
      const entity = (await find(entityId)) ?? null;
      return readChanges(rows, dialect, resource, entity);
    },
    async removed(request) {
      const entity = await find(request.entityId);
      if (entity === undefined) return { ids: [], next: null };
      return readRemoved(rows, dialect, request, entity);
    },
  };
}

/** PostgreSQL refuses this character in a text; no record has it, since imports refuse control characters. */
function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}

/** Bytes of lists, such as the services of orders, in one page. Other fields are short. */
const mostListBytes = 256 * 1024;

export interface PageRow {
  /** The records as JSON, joined by {@link pageSeparator}; null for none. */
  json: string | null;
  n: number;
  /** The position at which the scan had to end, as a JSON array of order value and id; null if it did not. */
  reached: string | null;
}

export function toPage(
  pageRow: PageRow | undefined,
  { resource, limit, orderBy }: RecordPageRequest,
): RecordPage {
  if (!pageRow) return { json: '', count: 0, next: null };
  const { json, n, reached } = pageRow;
  if (json === null || n <= limit) {
    const isBoolean = resource.fields[orderBy]?.kind === 'boolean';
    const next = reached === null ? null : reachedPosition(reached, isBoolean);
    return { json: json ?? '', count: n, next };
  }

  const pageJson = json.slice(0, json.lastIndexOf(pageSeparator));
  const lastRecord = pageJson.slice(pageJson.lastIndexOf(pageSeparator) + 1);
  return { json: pageJson, count: limit, next: positionOf(lastRecord, orderBy) };
}

function shownLists({ resource, include = [] }: RecordPageRequest): string[] {
  const fields = Object.entries(listFields(resource, include));
  return fields.flatMap(([fieldName, { kind }]) => (kind === 'list' ? [fieldName] : []));
}

/** The number of records, at least one, whose lists together stay within {@link mostListBytes}; the row has the bytes of each record's. */
function fittingRecords(sizesRow: PageRow | undefined, limit: number): number {
  let freeBytes = mostListBytes;
  let fittingCount = 0;
  const sizeTexts = (sizesRow?.json ?? '').split(pageSeparator);
  for (const sizeText of sizeTexts) {
    freeBytes -= Number(sizeText);
    if (freeBytes < 0) return Math.max(1, fittingCount);
    fittingCount++;
  }
  return limit;
}

function positionOf(lastRecord: string, orderBy: string): RecordPosition {
  const record: { id: string } & Record<string, unknown> = JSON.parse(lastRecord);
  const value = record[orderBy] as RecordPosition['value']; // lists are no order
  return { value, id: record.id };
}

/** SQLite has numbers for booleans. */
function reachedPosition(reached: string, isBoolean: boolean): RecordPosition {
  const [value, id] = JSON.parse(reached) as [RecordPosition['value'], string]; // as the statement wrote it
  return { value: isBoolean && value !== null ? Boolean(value) : value, id };
}
