import { qualities, type ReadingTextRequest } from '../../../../core/port/readings.ts';
import { createRowWriter, separatorOf, type WriteRow } from '../../../../core/readings/reading-text.ts';
import type { Connection } from '../../connection/driver.ts';
import { addToBucket, bucketStart, closeBucket, type OpenBucket, openBucket } from './buckets.ts';

/** A part of a read, small enough that other reads need not wait for it. */
export interface SliceRequest extends ReadingTextRequest {
  /** Maximum number of readings to scan. */
  most: number;
  /** The incomplete bucket at the end of the slice before. */
  open?: OpenBucket;
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
}

/** Before and after every instant that can be kept. */
const endOfTimeUs = Number.MAX_SAFE_INTEGER;

type Row = [atUs: number, value: number, quality: number];

/** Creates the reader of slices on a connection; each slice is a statement of its own, so that no checkpoint waits for it. */
export function createSliceReader(connection: Connection): (request: SliceRequest) => Slice {
  const rowsOf = connection
    .prepare<[number, number, number, number], Row>(
      'select at_us, value, quality from readings where series = ? and at_us >= ? and at_us < ? order by at_us limit ?',
    )
    .raw();
  return (request) => {
    const { series, fromUs, toUs, limit, most, buckets } = request;
    const wanted = buckets ? most : Math.min(most, limit);
    // One row more than wanted shows whether there is more, and where it starts.
    const rows = rowsOf.all(series, within(fromUs ?? -endOfTimeUs), within(toUs ?? endOfTimeUs), wanted + 1) as Row[]; // raw gives columns
    const nextUs = rows[wanted]?.[0] ?? null;
    if (rows.length > wanted) rows.length = wanted;
    const write = createRowWriter(request);
    if (buckets) return sumUp(rows, nextUs, { ...request, buckets }, write);
    const lines = rows.map(([atUs, value, quality]) => write({ atUs, value, quality: qualities[quality - 1] ?? null }));
    return { ...toText(lines, request), scanned: rows.length, nextUs };
  };
}

type BucketSliceRequest = SliceRequest & Required<Pick<SliceRequest, 'buckets'>>;

function sumUp(rows: readonly Row[], nextUs: number | null, request: BucketSliceRequest, write: WriteRow): Slice {
  const { buckets, limit } = request;
  const lines: string[] = [];
  let { open } = request;
  let scanned = 0;
  for (const [atUs, value] of rows) {
    scanned++;
    const startUs = bucketStart(atUs, buckets.widthUs);
    if (open?.startUs === startUs) {
      addToBucket(open, value);
      continue;
    }
    if (open) lines.push(write(closeBucket(open)));
    open = openBucket(startUs, value);
    // The first reading after the last bucket: nothing more is needed.
    if (lines.length === limit) return { ...toText(lines, request), scanned, nextUs: atUs, open };
  }
  if (nextUs !== null) return { ...toText(lines, request), scanned: rows.length, nextUs, open };
  if (open) lines.push(write(closeBucket(open)));
  return { ...toText(lines, request), scanned: rows.length, nextUs };
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
