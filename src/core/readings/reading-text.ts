import type {
  Aggregate,
  BucketRequest,
  Reading,
  ReadingBucket,
  ReadingFormat,
  ReadingTextRequest,
} from '../port/readings.ts';
import { createInstantUsText } from '../time/instants.ts';

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
