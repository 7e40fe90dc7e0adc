import { qualities, type ReadingTextRequest } from '../port/readings.ts';
import { addToBucket, bucketStart, closeBucket, type OpenBucket, openBucket } from './buckets.ts';
import { createRowWriter, separatorOf, type WriteRow } from './reading-text.ts';

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

/** A stored reading; its quality is 0 for none, else 1 + the index in {@link qualities}. */
export type SliceRow = [atUs: number, value: number, quality: number];

/** The rows that an engine has to read for a slice, in order of time. */
export interface SliceRange {
  series: number;
  /** Inclusive. */
  fromUs: number;
  /** Exclusive. */
  toUs: number;
  /** One row more than the slice takes, which shows whether there is more, and where it starts. */
  limit: number;
}

/** The rows to read for a slice. */
export function rangeOfSlice({ series, fromUs, toUs, limit, most, buckets }: SliceRequest): SliceRange {
  const wanted = buckets ? most : Math.min(most, limit);
  return { series, fromUs: within(fromUs ?? -endOfTimeUs), toUs: within(toUs ?? endOfTimeUs), limit: wanted + 1 };
}

/** Writes the rows of a slice, as {@link rangeOfSlice} asked for them, or sums them up. Takes `rows` over. */
export function toSlice(request: SliceRequest, rows: SliceRow[]): Slice {
  const wanted = rangeOfSlice(request).limit - 1;
  const nextUs = rows[wanted]?.[0] ?? null;
  if (rows.length > wanted) rows.length = wanted;
  const { buckets } = request;
  const write = createRowWriter(request);
  if (buckets) return sumUp(rows, nextUs, { ...request, buckets }, write);
  const lines = rows.map(([atUs, value, quality]) => write({ atUs, value, quality: qualities[quality - 1] ?? null }));
  return { ...toText(lines, request), scanned: rows.length, nextUs };
}

/** The nearest instant that can be kept. */
export function within(us: number): number {
  return Math.min(Math.max(us, -endOfTimeUs), endOfTimeUs);
}

/** Before and after every instant that can be kept. */
export const endOfTimeUs = Number.MAX_SAFE_INTEGER;

type BucketSliceRequest = SliceRequest & Required<Pick<SliceRequest, 'buckets'>>;

function sumUp(rows: readonly SliceRow[], nextUs: number | null, request: BucketSliceRequest, write: WriteRow): Slice {
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
