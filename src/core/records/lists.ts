import type { ResourceDefinition } from '../fields/fields.ts';
import { chain, type MaybePromise } from '../port/maybe-promise.ts';
import type { RecordPageRequest, RecordPosition, RecordRow, RecordStore } from '../port/records.ts';
import {
  instantAfter,
  listName,
  requireKnownChanges,
  type SyncPoint,
  type SyncToken,
  writeSyncToken,
} from './changes.ts';
import type { QueryParameters } from './parameters.ts';
import { createPageReader, type PageQuery, type PageScope } from './queries.ts';

export interface ListPage<Records = string> {
  /** JSON text, or rows; see {@link PageSource}. */
  records: Records;
  include?: readonly string[];
  /** The ids of removed records; only in answer to a sync token. */
  removed?: readonly string[];
  cursor: string | null;
  /** On the last page of a list without filters, and of changes. */
  syncToken: string | null;
}

/** Reads the records of a page in one form: as text, or as rows. */
interface PageSource<Records> {
  none: Records;
  read(
    request: RecordPageRequest,
  ): MaybePromise<{ records: Records; count: number; next: RecordPosition | null }>;
}

/** The store to read; `run` runs each of its statements. */
export interface ListSource<Records = string> {
  store: Pick<RecordStore, 'changes' | 'removed'>;
  pages: PageSource<Records>;
  run<T>(statement: () => MaybePromise<T>): MaybePromise<T>;
  nowMs: number;
}

/** Pages as JSON text, which is sent as it is. */
export function textPages(store: Pick<RecordStore, 'page'>): PageSource<string> {
  return {
    none: '',
    read: (request) =>
      chain(store.page(request), ({ json, ...page }) => ({ ...page, records: json })),
  };
}

/** Pages as rows, for lists that add fields to the records. */
export function rowPages(store: Pick<RecordStore, 'rows'>): PageSource<readonly RecordRow[]> {
  return {
    none: [],
    read: (request) =>
      chain(store.rows(request), ({ rows, ...page }) => ({ ...page, records: rows })),
  };
}

/** Reads a list, or the changes since a sync token. Throws `bad_parameter` or `sync_token_expired`. */
export function createListReader(resource: ResourceDefinition) {
  const readQuery = createPageReader(resource);

  return async <Records>(
    query: QueryParameters,
    scope: PageScope,
    source: ListSource<Records>,
  ): Promise<ListPage<Records>> => {
    const pageQuery = readQuery(query, scope);
    const { token } = pageQuery;
    return token ? readChanges(pageQuery, token, source) : readPage(pageQuery, source);
  };
}

async function readPage<Records>(
  { request, point: cursorPoint, cursorOf }: PageQuery,
  { store, pages, run, nowMs }: ListSource<Records>,
): Promise<ListPage<Records>> {
  const { resource, entityId, include, conditions, after } = request;
  const isUnfiltered = conditions.length === 0;

  // Read before the first page: changes while a client pages through the list come with its token.
  const isFirstPage = isUnfiltered && after === undefined;
  const syncPoint = isFirstPage ? await store.changes(resource, entityId) : cursorPoint;
  const { records, next } = await run(() => pages.read(request));
  if (next !== null) {
    return { records, include, cursor: cursorOf(next, syncPoint), syncToken: null };
  }

  const syncToken = syncPoint
    ? writeSyncToken(listName(resource, entityId), syncPoint, nowMs)
    : null;
  return { records, include, cursor: null, syncToken };
}

/** Reads the changed records, and then the ids of the removed ones, up to the last change at the time of the first page. */
async function readChanges<Records>(
  query: PageQuery,
  token: SyncToken,
  { store, pages, run, nowMs }: ListSource<Records>,
): Promise<ListPage<Records>> {
  const { request, point, ofRemoved, cursorOf } = query;
  const { resource, entityId, limit } = request;
  const changes = await store.changes(resource, entityId);
  requireKnownChanges(token, changes, nowMs, point?.changedAt);

  const endPoint: SyncPoint = {
    timeline: changes.timeline,
    changedAt: point?.changedAt ?? changes.changedAt,
  };
  const lastPage = (records: Records, removed: readonly string[]): ListPage<Records> => {
    const syncToken = writeSyncToken(listName(resource, entityId), endPoint, nowMs);
    return { records, removed, cursor: null, syncToken };
  };
  if (endPoint.changedAt === token.changedAt) {
    return lastPage(pages.none, []);
  }

  let records = pages.none;
  let remaining = limit;
  if (!ofRemoved) {
    const endCondition = { field: 'updated_at', op: 'to', value: endPoint.changedAt } as const;
    const conditions = [...request.conditions, endCondition];
    const changedPage = await run(() => pages.read({ ...request, conditions }));
    records = changedPage.records;
    if (changedPage.next) {
      const cursor = cursorOf(changedPage.next, endPoint);
      return { records, removed: [], cursor, syncToken: null };
    }
    remaining -= changedPage.count;
  }

  const firstRemoved = { value: instantAfter(token.changedAt), id: '' };
  const removedAfter = ofRemoved && request.after ? request.after : firstRemoved;
  const removedRequest = {
    resource,
    entityId,
    after: removedAfter,
    to: endPoint.changedAt,
    limit: remaining,
  };
  const { ids, next } = await run(() => store.removed(removedRequest));
  if (next === null) return lastPage(records, ids);

  const cursor = cursorOf(next, endPoint, 'removed');
  return { records, removed: ids, cursor, syncToken: null };
}
