import type { ResourceDefinition } from '../fields/fields.ts';
import type { MaybePromise } from '../port/maybe-promise.ts';
import type { RecordStore } from '../port/records.ts';
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

export interface ListPage {
  json: string;
  include?: readonly string[];
  /** The ids of removed records; only in answer to a sync token. */
  removed?: readonly string[];
  cursor: string | null;
  /** On the last page of a list without filters, and of changes. */
  syncToken: string | null;
}

/** The store to read, and how to run each of its statements, which may take milliseconds. */
export interface ListSource {
  records: RecordStore;
  run<T>(work: () => MaybePromise<T>): MaybePromise<T>;
  nowMs: number;
}

/** Reads a list, or the changes since a sync token. Throws `bad_parameter` or `sync_token_expired`. */
export function createListReader(resource: ResourceDefinition) {
  const readQuery = createPageReader(resource);
  return async (
    query: QueryParameters,
    scope: PageScope,
    source: ListSource,
  ): Promise<ListPage> => {
    const asked = readQuery(query, scope);
    return asked.token ? readChanges(asked, asked.token, source) : readPage(asked, source);
  };
}

async function readPage(
  { request, point: cursorPoint, cursorOf }: PageQuery,
  source: ListSource,
): Promise<ListPage> {
  const { records, run, nowMs } = source;
  const { resource, entityId, include, conditions, after } = request;
  const isFull = conditions.length === 0;
  // Read before the first page: what changes while a client pages through the list comes with its token.
  const point =
    isFull && after === undefined ? await records.changes(resource, entityId) : cursorPoint;
  const { json, next } = await run(() => records.page(request));
  if (next !== null) return { json, include, cursor: cursorOf(next, point), syncToken: null };
  const syncToken = point ? writeSyncToken(listName(resource, entityId), point, nowMs) : null;
  return { json, include, cursor: null, syncToken };
}

/** Reads the changed records, and then the ids of the removed ones, up to the last change at the time of the first page. */
async function readChanges(
  query: PageQuery,
  token: SyncToken,
  { records, run, nowMs }: ListSource,
): Promise<ListPage> {
  const { request, point, ofRemoved, cursorOf } = query;
  const { resource, entityId, limit } = request;
  const changes = await records.changes(resource, entityId);
  requireKnownChanges(token, changes, nowMs, point?.changedAt);
  const endPoint: SyncPoint = {
    epoch: changes.epoch,
    changedAt: point?.changedAt ?? changes.changedAt,
  };
  const last = (json: string, removed: readonly string[]): ListPage => {
    return {
      json,
      removed,
      cursor: null,
      syncToken: writeSyncToken(listName(resource, entityId), endPoint, nowMs),
    };
  };
  if (endPoint.changedAt === token.changedAt) return last('', []);

  let json = '';
  let remaining = limit;
  if (!ofRemoved) {
    const upToEnd = { field: 'updated_at', op: 'to', value: endPoint.changedAt } as const;
    const page = await run(() =>
      records.page({ ...request, conditions: [...request.conditions, upToEnd] }),
    );
    if (page.next)
      return {
        json: page.json,
        removed: [],
        cursor: cursorOf(page.next, endPoint),
        syncToken: null,
      };
    json = page.json;
    remaining -= page.count;
  }
  const after =
    ofRemoved && request.after ? request.after : { value: instantAfter(token.changedAt), id: '' };
  const removed = { resource, entityId, after, to: endPoint.changedAt, limit: remaining };
  const { ids, next } = await run(() => records.removed(removed));
  if (next === null) return last(json, ids);
  return { json, removed: ids, cursor: cursorOf(next, endPoint, 'removed'), syncToken: null };
}
