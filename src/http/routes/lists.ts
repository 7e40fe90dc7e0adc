import type { ResourceDefinition } from '../../core/fields/fields.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { ListPage } from '../../core/records/lists.ts';
import type { Slices } from '../fairness/slices.ts';
import { mediaTypeFor } from '../request/accept.ts';
import { type Representation, toRepresentation } from '../request/caching.ts';
import { chain } from '../request/chain.ts';
import type { Exchange } from '../request/exchange.ts';
import { parseQuery, withParameter } from '../request/query.ts';
import { recordsToCsv } from './records-csv.ts';

const listTypes = ['application/json', 'text/csv'] as const;
type ListType = (typeof listTypes)[number];

/** Writes the Link header to the next page (RFC 8288): the query of this page with the cursor; none if it is null. */
export type Links = (exchange: Exchange, cursor: string | null) => string[];

/** Builds the writer of Link headers; a proxy in front serves the API below `basePath`. */
export function createLinks(basePath: string): Links {
  return ({ path, query }, cursor) =>
    cursor === null ? [] : ['Link', `<${basePath}${path}?${withParameter(query, 'cursor', cursor)}>; rel="next"`];
}

/** The media type of a list. Throws `not_acceptable`; CSV has no place for removed ids. */
export function listTypeFor(exchange: Exchange): ListType {
  const accepted = exchange.header('accept');
  if (accepted === undefined || accepted === '*/*') return 'application/json';
  const hasToken = parseQuery(exchange.query).some(([name]) => name === 'sync_token');
  return hasToken ? mediaTypeFor(accepted, ['application/json']) : mediaTypeFor(accepted, listTypes);
}

/** Writes a page of a list as JSON, or as CSV with the next page in the Link header only, for the key that asked. */
export type PageWriter = (
  exchange: Exchange,
  keyId: string,
  resource: ResourceDefinition,
  page: ListPage,
  type: ListType,
) => MaybePromise<Representation>;

/** Builds the writer of pages: JSON in one step, CSV in many. */
export function createPageWriter(links: Links, slices: Slices): PageWriter {
  return (exchange, keyId, resource, page, type) => {
    const options = { headers: links(exchange, page.cursor), vary: 'Authorization, Accept', type };
    if (type === 'application/json') return slices.call(keyId, () => toRepresentation(envelope(page), options));
    return chain(slices.run(keyId, recordsToCsv(resource, page)), (csv) => toRepresentation(csv, options));
  };
}

function envelope({ json, removed, cursor, syncToken }: ListPage): string {
  const ids = removed === undefined ? '' : `"removed":${JSON.stringify(removed)},`;
  return `{"data":[${json}],${ids}"next_cursor":${quoted(cursor)},"sync_token":${quoted(syncToken)}}\n`;
}

/** Cursors and tokens are base64url and need no escapes. */
function quoted(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}
