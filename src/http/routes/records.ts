import type { Domain } from '../../core/access/actors.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { ResourceDefinition } from '../../core/records/fields.ts';
import { requireKnown } from '../../core/records/parameters.ts';
import { createPageReader } from '../../core/records/queries.ts';
import type { Session } from '../auth/gate.ts';
import type { CostlyWork } from '../fairness/costly-work.ts';
import { type PageCache, type Representation, represent, toRepresentation } from '../request/caching.ts';
import { chain } from '../request/chain.ts';
import type { Exchange } from '../request/exchange.ts';
import { ApiError } from '../request/problem.ts';
import { parseQuery, withParameter } from '../request/query.ts';
import type { Answer } from '../request/response.ts';

/** Finished pages, and the number of the store's records for which they hold. */
export interface RecordCache {
  pages: PageCache;
  version(): MaybePromise<number>;
  links: Links;
  work: CostlyWork;
}

/** Writes the Link header to the next page (RFC 8288): this page's query with the cursor in it; none where it is null. */
export type Links = (exchange: Exchange, cursor: string | null) => string[];

/** Builds it; `basePath` is what a proxy in front has before the paths of the API. */
export function createLinks(basePath: string): Links {
  return ({ path, query }, cursor) =>
    cursor === null ? [] : ['Link', `<${basePath}${path}?${withParameter(query, 'cursor', cursor)}>; rel="next"`];
}

/** `GET /<resource>`: a page of records of the key's entity. */
export function createListHandler(domain: Domain, resource: ResourceDefinition, cache: RecordCache) {
  const { pages, version, links, work } = cache;
  const reader = createPageReader(resource);
  const { records } = domain.store;
  const read = (exchange: Exchange, session: Session, at: number, key: string): MaybePromise<Representation> => {
    const { request, cursorOf } = reader.read(parseQuery(exchange.query), session.scope);
    const page = work.run(session.principal.keyId, () => records.page(request));
    return chain(page, ({ json, next }) => {
      const cursor = next === null ? null : cursorOf(next);
      const representation = listRepresentation(json, cursor, links(exchange, cursor));
      pages.put(key, at, representation);
      return representation;
    });
  };
  return (exchange: Exchange, session: Session): MaybePromise<Answer> =>
    // Asked before the page is read: what is kept under a number is at least as new as it.
    chain(version(), (at) => {
      const key = `${resource.name}?${exchange.query} ${session.scopeKey}`;
      const kept = pages.get(key, at);
      if (kept) return represent(exchange, kept);
      return chain(read(exchange, session, at, key), (page) => represent(exchange, page));
    });
}

/** A page as it goes out; `json` are its records, joined by commas. */
export function listRepresentation(json: string, cursor: string | null, headers: readonly string[]): Representation {
  const next = cursor === null ? 'null' : `"${cursor}"`;
  return toRepresentation(`{"data":[${json}],"next_cursor":${next}}`, { headers });
}

const none = new Map<string, unknown>();

/** `GET /<resource>/{id}`: one record with its details; another entity's is not found, the same as none. */
export function createRecordHandler(domain: Domain, resource: ResourceDefinition, { pages, version }: RecordCache) {
  const { records } = domain.store;
  return (exchange: Exchange, session: Session): MaybePromise<Answer> => {
    if (exchange.query !== '') requireKnown(parseQuery(exchange.query), none);
    const id = exchange.parameter('id');
    if (id === undefined) throw notFound(resource);
    return chain(version(), (at) => {
      const key = `${resource.name}/${id} ${session.scopeKey}`;
      const kept = pages.get(key, at);
      if (kept) return represent(exchange, kept);
      return chain(records.get(resource, session.scope.entityId, id), (json) => {
        if (json === undefined) throw notFound(resource);
        const page = toRepresentation(json);
        pages.put(key, at, page);
        return represent(exchange, page);
      });
    });
  };
}

/** The error for an id that is not there, or not of this entity. */
export function notFound({ singular }: Pick<ResourceDefinition, 'singular'>): ApiError {
  return new ApiError('not_found', `There is no such ${singular} in this entity.`);
}
