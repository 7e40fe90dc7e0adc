import { qualities, type ReadingTextRequest } from '../../../../core/port/readings.ts';
import { createRowWriter, separatorOf, type WriteRow } from '../../../../core/readings/reading-text.ts';
import type { Connection } from '../../connection/driver.ts';
import {
  addSummarised,
  addToBucket,
  bucketStart,
  closeBucket,
  type OpenBucket,
  openBucket,
  openSummarised,
} from './buckets.ts';
import { type BucketItems, createSummaryReader, type ReadingRow } from './summarised-hours.ts';

/** A part of a read, small enough that other reads need not wait for it. */
export interface SliceRequest extends ReadingTextRequest {
  /** Maximum number of readings to scan. */
  most: number;
  /** The incomplete bucket at the end of the slice before. */
  open?: OpenBucket;
  /** Where the first slice of this read began; undefined for the beginning. */
  beganUs?: number;
  /** What the slice before returned. */
  summarisedUs?: number | null;
}

/** The result of a slice. */
export interface Slice {
  /** In a buffer of its own, so that it can be transferred. */
  text: Uint8Array<ArrayBuffer>;
  /** Rows in the text. */
  count: number;
  digest: string;
  /** Number of readings scanned. */
  scanned: number;
  /** The instant of the first reading after them; null where there is none. */
  nextUs: number | null;
  /** The incomplete bucket; none at the end. */
  open?: OpenBucket;
  /** The latest instant of the series that was dropped, as this slice saw it; null where there is none. */
  summarisedUs?: number | null;
}

/** Before and after every instant that can be kept. */
const endOfTimeUs = Number.MAX_SAFE_INTEGER;

/** Creates the reader of slices on a connection; each slice is a statement of its own, so that no checkpoint waits for it. */
export function createSliceReader(connection: Connection): (request: SliceRequest) => Slice {
  const rowsOf = connection
    .prepare<[number, number, number, number], ReadingRow>(
      'select at_us, value, quality from readings where series = ? and at_us >= ? and at_us < ? order by at_us limit ?',
    )
    .raw();
  const read = ({ series, fromUs, toUs }: Pick<SliceRequest, 'series' | 'fromUs' | 'toUs'>, wanted: number) => {
    // One row more than wanted shows whether there is more, and where it starts.
    const rows = rowsOf.all(
      series,
      within(fromUs ?? -endOfTimeUs),
      within(toUs ?? endOfTimeUs),
      wanted + 1,
    ) as ReadingRow[]; // raw gives columns
    const nextUs = rows[wanted]?.[0] ?? null;
    if (rows.length > wanted) rows.length = wanted;
    return { rows, nextUs };
  };
  const summaries = createSummaryReader(connection);
  // In one transaction, or hours that are dropped between two statements would be missing.
  const readItems = connection.transaction((request: SliceRequest) => summaries.read(request, read));
  return (request) => {
    const { limit, most, buckets } = request;
    const write = createRowWriter(request);
    if (buckets) {
      if (summaries.answers(buckets)) {
        const { open, ...items } = readItems(request);
        return { ...sumUp(items, { ...request, buckets, open }, write), summarisedUs: items.summarisedUs };
      }
      const { rows, nextUs } = read(request, most);
      return sumUp({ items: rows, nextUs }, { ...request, buckets }, write);
    }
    const { rows, nextUs } = read(request, Math.min(most, limit));
    const lines = rows.map(([atUs, value, quality]) => write({ atUs, value, quality: qualities[quality - 1] ?? null }));
    return { ...toText(lines, request), scanned: rows.length, nextUs };
  };
}

type BucketSliceRequest = SliceRequest & Required<Pick<SliceRequest, 'buckets'>>;

function sumUp({ items, nextUs }: BucketItems, request: BucketSliceRequest, write: WriteRow): Slice {
  const { buckets, limit } = request;
  const lines: string[] = [];
  let { open } = request;
  let scanned = 0;
  for (const item of items) {
    scanned++;
    const atUs = item[0];
    const startUs = bucketStart(atUs, buckets.widthUs);
    if (open?.startUs === startUs) {
      if (isReading(item)) addToBucket(open, item[1]);
      else addSummarised(open, item[1]);
      continue;
    }
    if (open) lines.push(write(closeBucket(open)));
    open = isReading(item) ? openBucket(startUs, item[1]) : openSummarised(startUs, item[1]);
    // The first reading after the last bucket: nothing more is needed.
    if (lines.length === limit) return { ...toText(lines, request), scanned, nextUs: atUs, open };
  }
  if (nextUs !== null) return { ...toText(lines, request), scanned, nextUs, open };
  if (open) lines.push(write(closeBucket(open)));
  return { ...toText(lines, request), scanned, nextUs };
}

function isReading(item: BucketItems['items'][number]): item is ReadingRow {
  return item.length === 3;
}

function toText(lines: readonly string[], { format }: SliceRequest): Pick<Slice, 'text' | 'count' | 'digest'> {
  const joined = lines.join(separatorOf(format));
  // All of it is ASCII.
  const text = new Uint8Array(new ArrayBuffer(joined.length));
  Buffer.from(text.buffer).write(joined, 'latin1');
  const { hash } = process.getBuiltinModule('node:crypto');
  return { text, count: lines.length, digest: hash('sha256', text, 'base64url') };
}

function within(us: number): number {
  return Math.min(Math.max(us, -endOfTimeUs), endOfTimeUs);
}
