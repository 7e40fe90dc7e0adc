import { pageFields } from '../fields/fields.ts';
import type { RecordPage, RecordPageRequest, RecordPosition } from '../port/records.ts';

/**
 * Maximum number of records scanned for a page whose index serves only some of its conditions: some milliseconds. A page
 * that reaches it ends there, full or not, and the next page continues after it.
 */
export const mostScanned = 10_000;

/** Number of records with one value that are scanned and sorted for a page: about a millisecond. */
export const fewRecords = 1000;

/**
 * Maximum bytes of lists, such as the services of orders, in one page: a millisecond or two, also as CSV. Other fields are
 * short, but a list may be as long as a row of an import.
 */
const mostListBytes = 256 * 1024;

/** The row that the statement of a page returns. One record more than requested is read, which only shows that there are more. */
export interface PageRow {
  /** The records as JSON, joined by {@link pageSeparator}; null for none. */
  json: string | null;
  n: number;
  /** Where the scan had to end, as a JSON array of order value and id; null if it did not. */
  reached: string | null;
}

/** Separates the records of a page: JSON text contains no raw line break, so that the last record can be cut out. */
export const pageSeparator = ',\n';

export function toPage(row: PageRow | undefined, { limit, orderBy }: RecordPageRequest): RecordPage {
  if (!row) return { json: '', count: 0, next: null };
  const { json, n, reached } = row;
  if (json === null || n <= limit) return { json: json ?? '', count: n, next: reached === null ? null : pair(reached) };
  const asked = json.slice(0, json.lastIndexOf(pageSeparator));
  return { json: asked, count: limit, next: positionOf(asked.slice(asked.lastIndexOf(pageSeparator) + 1), orderBy) };
}

export function shownLists({ resource, include = [] }: RecordPageRequest): string[] {
  return Object.entries(pageFields(resource, include)).flatMap(([name, { kind }]) => (kind === 'list' ? [name] : []));
}

/** The number of records, at least one, whose lists together stay within {@link mostListBytes}; the row has the bytes of each record's. */
export function fittingRecords(row: PageRow | undefined, limit: number): number {
  let left = mostListBytes;
  let fitting = 0;
  for (const size of (row?.json ?? '').split(pageSeparator)) {
    left -= Number(size);
    if (left < 0) return Math.max(1, fitting);
    fitting++;
  }
  return limit;
}

function positionOf(lastRecord: string, orderBy: string): RecordPosition {
  const record: { id: string } & Record<string, unknown> = JSON.parse(lastRecord);
  const value = record[orderBy];
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`no position in order of ${orderBy}`);
  return { value, id: record.id };
}

function pair(reached: string): RecordPosition {
  const [value, id] = JSON.parse(reached) as [string | number, string]; // as the statement wrote it
  return { value, id };
}
