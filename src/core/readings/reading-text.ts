import type {
  Aggregate,
  BucketRequest,
  Reading,
  ReadingBucket,
  ReadingFormat,
  ReadingTextRequest,
} from '../port/readings.ts';
import { createInstantUsText } from '../time/instants.ts';

/** Writes one row as text. */
export type WriteRow = (row: Reading | ReadingBucket) => string;

/** Creates the writer for the rows of a request; lines end with a line break, objects of `json` do not. */
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

/** The text between two rows. */
export function separatorOf(format: ReadingFormat): string {
  return format === 'json' ? ',' : '';
}

/** The names of the CSV columns in order. */
export function columnsOf(buckets: BucketRequest | undefined): readonly string[] {
  return ['at', ...(buckets?.aggregates ?? ['value', 'quality'])];
}

/** The most bytes of a row: its instant, and each number with its name. */
export function longestRow(buckets: BucketRequest | undefined): number {
  return buckets === undefined ? 96 : 48 + 34 * buckets.aggregates.length;
}

function cellsOf(row: Reading | ReadingBucket, wanted: readonly Aggregate[] = []): (string | number)[] {
  return 'value' in row ? [row.value, row.quality ?? ''] : wanted.map((name) => row[name] ?? '');
}
