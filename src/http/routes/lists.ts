import { listFields, type ResourceDefinition } from '../../core/fields/fields.ts';
import { pageSeparator } from '../../core/port/records.ts';
import type { ListPage } from '../../core/records/lists.ts';
import { csvValue } from '../../core/text/quoting.ts';
import type { SliceSteps } from '../fairness/slices.ts';
import { type Exchange, parseQuery, withParameter } from '../request/exchange.ts';
import { mediaTypeFor } from '../request/representation.ts';

const listTypes = ['application/json', 'text/csv'] as const;

/** Writes the Link header to the next page (RFC 8288): the query of this page with the cursor; none if it is null. */
export type Links = (exchange: Exchange, cursor: string | null) => string[];

/** Builds the writer of Link headers; a proxy in front serves the API below `basePath`. */
export function createLinks(basePath: string): Links {
  return ({ path, query }, cursor) =>
    cursor === null
      ? []
      : ['Link', `<${basePath}${path}?${withParameter(query, 'cursor', cursor)}>; rel="next"`];
}

/** The media type of a list. Throws `not_acceptable`; CSV has no place for removed ids. */
export function listTypeFor(exchange: Exchange): (typeof listTypes)[number] {
  const accepted = exchange.header('accept');
  if (accepted === undefined || accepted === '*/*') return 'application/json';
  const hasToken = parseQuery(exchange.query).some(([name]) => name === 'sync_token');
  return hasToken
    ? mediaTypeFor(accepted, ['application/json'])
    : mediaTypeFor(accepted, listTypes);
}

export function envelope({ records, removed, cursor, syncToken }: ListPage): string {
  const removedMember = removed === undefined ? '' : `"removed":${JSON.stringify(removed)},`;
  return `{"data":[${records}],${removedMember}"next_cursor":${quoted(cursor)},"sync_token":${quoted(syncToken)}}\n`;
}

/** Cursors and tokens are base64url and need no escapes. */
function quoted(token: string | null): string {
  return token === null ? 'null' : `"${token}"`;
}

/**
 * Writes records as CSV (RFC 4180) with the columns that an import reads: a header, then empty cells for null, `""` for an
 * empty text and JSON for lists. Every page has the same columns, also one without records. Each record is
 * a step.
 */
export function* recordsToCsv(
  resource: ResourceDefinition,
  records: Iterable<Readonly<Record<string, unknown>>>,
  include: readonly string[] = [],
): SliceSteps<Buffer> {
  const columns = Object.keys({ ...listFields(resource, include), ...resource.added });
  const csvLines = [Buffer.from(`${columns.join(',')}\n`)];
  for (const record of records) {
    const cells = columns.map((column) => toCell(record[column]));
    csvLines.push(Buffer.from(`${cells.join(',')}\n`));
    yield;
  }
  return Buffer.concat(csvLines);
}

export function* recordsIn(json: string): Generator<Record<string, unknown>> {
  if (json === '') return;
  for (const recordText of json.split(pageSeparator)) yield JSON.parse(recordText);
}

function toCell(fieldValue: unknown): string {
  if (fieldValue === null || fieldValue === undefined) return '';
  const cellText = typeof fieldValue === 'object' ? JSON.stringify(fieldValue) : String(fieldValue);
  return csvValue(cellText);
}
