import { createInstantUsText } from './instants.ts';
import type { Aggregate, Reading, ReadingBucket, ReadingRange } from './store.ts';

/** How readings are written for a client: JSON objects with commas between them, or whole lines of NDJSON or CSV. */
export type ReadingFormat = 'json' | 'ndjson' | 'csv';

/** Buckets of `widthUs` that start at multiples of it since the epoch, and what to write of each. */
export interface BucketRequest {
  widthUs: number;
  aggregates: readonly Aggregate[];
}

/** Readings of one series as text or, with `buckets`, summed up; empty buckets are left out. */
export interface ReadingTextRequest extends ReadingRange {
  format: ReadingFormat;
  buckets?: BucketRequest;
}

/** For whom readings are read: engines serve owners round-robin, and the reads of one owner one after the other. */
export interface ReadingClient {
  owner: string;
  /** Aborted when nobody waits for the text any more; the read then rejects with its reason. */
  signal?: AbortSignal;
  /** Called with 0 before anything is read, and then with how many readings each part took; what it throws ends the read. */
  charge(readings: number): void;
}

/**
 * Readings as text in order of time, without what stands before and after them. It may hold fewer rows than asked for, but
 * at least one before the last: an engine looks through a bounded number of readings for it, and through more only for a
 * single bucket.
 */
export interface ReadingText {
  /** What is written, piece after piece. */
  pieces: readonly Uint8Array[];
  /** Rows in it. */
  count: number;
  /** Names the content: another one never has the same. */
  digest: string;
  /** Where the next page starts; null at the end. */
  nextUs: number | null;
}

/** Writes one row. */
export type WriteRow = (row: Reading | ReadingBucket) => string;

/** Builds what writes the rows of a request; a line ends with its line break, an object of `json` with nothing. */
export function createRowWriter({ format, buckets }: Pick<ReadingTextRequest, 'format' | 'buckets'>): WriteRow {
  const wanted = buckets?.aggregates;
  const textOf = createInstantUsText();
  if (format === 'csv') {
    return (row) => `${[textOf(row.atUs), ...cellsOf(row, wanted)].join(',')}\n`;
  }
  const end = format === 'ndjson' ? '\n' : '';
  return (row) => {
    const at = `{"at":"${textOf(row.atUs)}"`;
    if ('value' in row) {
      return `${at},"value":${row.value}${row.quality === null ? '' : `,"quality":"${row.quality}"`}}${end}`;
    }
    return `${at}${(wanted ?? []).map((name) => `,"${name}":${row[name] ?? null}`).join('')}}${end}`;
  };
}

/** What stands between two rows. */
export function separatorOf(format: ReadingFormat): string {
  return format === 'json' ? ',' : '';
}

/** Names of the columns of CSV, in their order. */
export function columnsOf(buckets: BucketRequest | undefined): readonly string[] {
  return ['at', ...(buckets?.aggregates ?? ['value', 'quality'])];
}

/** Bytes that a row takes at most: its instant, and each number with its name. */
export function longestRow(buckets: BucketRequest | undefined): number {
  return buckets === undefined ? 96 : 48 + 34 * buckets.aggregates.length;
}

function cellsOf(row: Reading | ReadingBucket, wanted: readonly Aggregate[] = []): (string | number)[] {
  return 'value' in row ? [row.value, row.quality ?? ''] : wanted.map((name) => row[name] ?? '');
}
