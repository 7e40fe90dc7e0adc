import type { Domain } from '../../core/access/actors.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { ResourceDefinition } from '../../core/records/fields.ts';
import { createPageReader } from '../../core/records/queries.ts';
import type { Session } from '../auth/session.ts';
import type { CostlyWork } from '../fairness/costly-work.ts';
import { type PageCache, type Representation, represent, toRepresentation } from '../request/caching.ts';
import { chain } from '../request/chain.ts';
import type { Exchange } from '../request/exchange.ts';
import { ApiError } from '../request/problem.ts';
import { parseQuery, requireNoQuery, withParameter } from '../request/query.ts';
import type { Answer } from '../request/response.ts';

/** Finished pages, and the version of the store's records. */
interface RecordCache {
  pages: PageCache;
  version(): MaybePromise<number>;
  links: Links;
  work: CostlyWork;
}

/** Writes the Link header to the next page (RFC 8288): the query of this page with the cursor; none where it is null. */
export type Links = (exchange: Exchange, cursor: string | null) => string[];

/** Builds the writer of Link headers; a proxy in front serves the API below `basePath`. */
export function createLinks(basePath: string): Links {
  return ({ path, query }, cursor) =>
    cursor === null ? [] : ['Link', `<${basePath}${path}?${withParameter(query, 'cursor', cursor)}>; rel="next"`];
}

/** `GET /<resource>`: a page of records of the key's entity. */
export function createListHandler(domain: Domain, resource: ResourceDefinition, cache: RecordCache) {
  const { links, work } = cache;
  const reader = createPageReader(resource);
  const readPage = async (exchange: Exchange, session: Session): Promise<Representation> => {
    const { request, cursorOf } = reader.read(parseQuery(exchange.query), session.scope);
    const { json, next } = await work.run(session.principal.keyId, () => domain.store.records.page(request));
    const cursor = next === null ? null : cursorOf(next);
    return listRepresentation(json, cursor, links(exchange, cursor));
  };
  return (exchange: Exchange, session: Session): MaybePromise<Answer> =>
    answerFrom(cache, exchange, `${resource.name}?${exchange.query} ${session.scopeKey}`, () =>
      readPage(exchange, session),
    );
}

/** `GET /<resource>/{id}`: one record with all its fields; a record of another entity is not found. */
export function createRecordHandler(domain: Domain, resource: ResourceDefinition, cache: RecordCache) {
  const { records } = domain.store;
  const readRecord = async (entityId: string, id: string): Promise<Representation> => {
    const json = await records.get(resource, entityId, id);
    if (json === undefined) throw notFound(resource);
    return toRepresentation(json);
  };
  return (exchange: Exchange, session: Session): MaybePromise<Answer> => {
    requireNoQuery(exchange.query);
    const id = exchange.parameter('id');
    if (id === undefined) throw notFound(resource);
    return answerFrom(cache, exchange, `${resource.name}/${id} ${session.scopeKey}`, () =>
      readRecord(session.scope.entityId, id),
    );
  };
}

/**
 * Answers with the kept page where the store has not changed since, else reads it and keeps it. The version is read before
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

/** A page of a list; `json` holds its records, joined by commas. */
export function listRepresentation(json: string, cursor: string | null, headers: readonly string[]): Representation {
  const next = cursor === null ? 'null' : `"${cursor}"`;
  return toRepresentation(`{"data":[${json}],"next_cursor":${next}}`, { headers });
}

/** The error for an id that does not exist or belongs to another entity. */
export function notFound({ singular }: Pick<ResourceDefinition, 'singular'>): ApiError {
  return new ApiError('not_found', `There is no such ${singular} in this entity.`);
}
