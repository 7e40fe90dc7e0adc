import type { Domain } from '../../core/domain/domain.ts';
import type { ResourceDefinition } from '../../core/fields/fields.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import { createListReader, type ListSource } from '../../core/records/lists.ts';
import { dayOf } from '../../core/records/sync-tokens.ts';
import type { Answer } from '../answers/answer.ts';
import { ApiError } from '../answers/problem.ts';
import type { Session } from '../auth/session.ts';
import type { Slices } from '../fairness/slices.ts';
import { mediaTypeFor } from '../request/accept.ts';
import { type PageCache, type Representation, represent, toRepresentation } from '../request/caching.ts';
import { chain } from '../request/chain.ts';
import type { Exchange } from '../request/exchange.ts';
import { parseQuery, requireNoQuery } from '../request/query.ts';
import { listTypeFor, type PageWriter } from './lists.ts';

interface RecordCache {
  pages: PageCache;
  version(): MaybePromise<number>;
  write: PageWriter;
  slices: Slices;
}

/** `GET /<resource>`: a page of records of the key's entity, or of the changes since a sync token. */
export function createListHandler(domain: Domain, resource: ResourceDefinition, cache: RecordCache) {
  const { write, slices } = cache;
  const { records } = domain.store;
  const reader = createListReader(resource);
  return (exchange: Exchange, session: Session): MaybePromise<Answer> => {
    const type = listTypeFor(exchange);
    const nowMs = domain.clock();
    const { keyId } = session.principal;
    const run: ListSource['run'] = (statement) => slices.call(keyId, statement);
    const read = async (): Promise<Representation> => {
      const page = await reader.read(parseQuery(exchange.query), session.scope, { records, run, nowMs });
      return write(exchange, keyId, resource, page, type);
    };
    // The day is part of it, since the sync token of a page names the day on which it was issued.
    const key = `${resource.name}?${exchange.query} ${session.scopeKey} ${dayOf(nowMs)} ${type}`;
    return answerFrom(cache, exchange, key, read);
  };
}

/** `GET /<resource>/{id}`: one record with all its fields; a record of another entity is not found. */
export function createRecordHandler(domain: Domain, resource: ResourceDefinition, cache: RecordCache) {
  const { records } = domain.store;
  const readRecord = async (entityId: string, id: string): Promise<Representation> => {
    const json = await records.get(resource, entityId, id);
    if (json === undefined) throw notFound(resource);
    return toRepresentation(`${json}\n`);
  };
  return (exchange: Exchange, session: Session): MaybePromise<Answer> => {
    requireNoQuery(exchange.query);
    mediaTypeFor(exchange.header('accept'), ['application/json']);
    const id = exchange.parameter('id');
    if (id === undefined) throw notFound(resource);
    return answerFrom(cache, exchange, `${resource.name}/${id} ${session.scopeKey}`, () =>
      readRecord(session.scope.entityId, id),
    );
  };
}

/**
 * Answers with the kept page if the store has not changed since, else reads it and keeps it. The version is read before
 * the page, so that a kept page is never older than its version says.
 */
function answerFrom(
  { pages, version }: RecordCache,
  exchange: Exchange,
  key: string,
  read: () => Promise<Representation>,
): MaybePromise<Answer> {
  return chain(version(), (at) => {
    const kept = pages.get(key, at);
    return kept ? represent(exchange, kept) : readAndKeep(at);
  });
  // Reading the store takes so long that a promise does not matter.
  async function readAndKeep(at: number): Promise<Answer> {
    const page = await read();
    pages.put(key, at, page);
    return represent(exchange, page);
  }
}

/** The error for an id that does not exist or belongs to another entity. */
export function notFound({ singular }: Pick<ResourceDefinition, 'singular'>): ApiError {
  return new ApiError('not_found', `There is no such ${singular} in this entity.`);
}
