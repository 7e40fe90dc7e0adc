import type { ResourceDefinition } from '../fields/fields.ts';
import type { MaybePromise } from '../port/maybe-promise.ts';
import type { RecordStore } from '../port/records.ts';
import type { QueryParameters } from './parameters.ts';
import { createPageReader, type PageScope } from './queries.ts';
import { type ChangesQuery, createChangesQueries } from './sync-queries.ts';
import { listName, requireKnownChanges, type SyncPoint, writeSyncToken } from './sync-tokens.ts';

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

interface ListReader {
  /** Throws `bad_parameter`, and `sync_token_expired` if the changes since a token are no longer known. */
  read(query: QueryParameters, scope: PageScope, source: ListSource): Promise<ListPage>;
}

/** Builds the reader of a resource's list, and of the changes since a sync token (contract, section 5). */
export function createListReader(resource: ResourceDefinition): ListReader {
  const pages = createPageReader(resource);
  const queries = createChangesQueries(resource);
  return {
    async read(query, scope, source) {
      if (query.some(([name]) => name === 'sync_token')) return readChanges(queries.read(query, scope), source);
      return readPage(query, scope, source);
    },
  };

  async function readPage(query: QueryParameters, scope: PageScope, source: ListSource): Promise<ListPage> {
    const { request, cursorOf, point: kept } = pages.read(query, scope);
    const { records, run, nowMs } = source;
    const isFull = request.conditions.length === 0;
    // Read before the first page: what changes while a client pages through the list comes with its token.
    const point = isFull && request.after === undefined ? await records.changes(resource, scope.entityId) : kept;
    const { json, next } = await run(() => records.page(request));
    const { include } = request;
    if (next !== null) return { json, include, cursor: cursorOf(next, point), syncToken: null };
    const syncToken = point && writeSyncToken(listName(resource, scope.entityId), point, nowMs);
    return { json, include, cursor: null, syncToken: syncToken ?? null };
  }

  async function readChanges(query: ChangesQuery, { records, run, nowMs }: ListSource): Promise<ListPage> {
    const changes = await records.changes(resource, query.entityId);
    requireKnownChanges(query.token, changes, nowMs, query.to);
    const to = query.to ?? changes.changedAt;
    const point: SyncPoint = {
      epoch: changes.epoch,
      changedAt: to > query.token.changedAt ? to : query.token.changedAt,
    };
    const end = (json: string, removed: readonly string[]): ListPage => {
      const syncToken = writeSyncToken(listName(resource, query.entityId), point, nowMs);
      return { json, removed, cursor: null, syncToken };
    };
    if (to <= query.token.changedAt) return end('', []);

    let json = '';
    let left = query.limit;
    let removedAfter = query.removedAfter;
    if (removedAfter === undefined) {
      const page = await run(() => records.page(query.changedUntil(to)));
      json = page.json;
      left -= page.count;
      if (page.next) return { json, removed: [], cursor: query.cursorOf('changed', page.next, to), syncToken: null };
      removedAfter = query.firstRemoved;
    }
    const request = { resource, entityId: query.entityId, after: removedAfter, to, limit: left };
    const { ids, next } = await run(() => records.removed(request));
    if (next === null) return end(json, ids);
    return { json, removed: ids, cursor: query.cursorOf('removed', next, to), syncToken: null };
  }
}
