import { createRowWriter, separatorOf, type WriteRow } from '../reading-text.ts';
import { addSummarised, addToBucket, bucketStart, closeBucket, openBucket, openSummarised } from './buckets.ts';
import { rangeOfSlice, type Slice, type SliceRequest, type SliceRow, toReading } from './slice-request.ts';
import { type BucketItems, type HourRow, inOrderOfTime } from './summarised-hours.ts';

/** Writes the rows of a slice, as {@link rangeOfSlice} asked for them, or sums them up. Takes `rows` over. */
export function toSlice(request: SliceRequest, rows: SliceRow[]): Slice {
  const wanted = rangeOfSlice(request).limit - 1;
  const nextUs = rows[wanted]?.[0] ?? null;
  if (rows.length > wanted) rows.length = wanted;
  if (request.buckets) return sumUp({ items: rows, nextUs }, request);
  const write = createRowWriter(request);
  const lines = rows.map((row) => write(toReading(row)));
  return { ...toText(lines, request), scanned: rows.length, nextUs };
}

/** Sums up the rows and the summarised hours of a slice; `summarisedUs` is the latest instant that was dropped. */
export function toSummarisedSlice(
  request: SliceRequest,
  { rows, hours, summarisedUs }: { rows: readonly SliceRow[]; hours: readonly HourRow[]; summarisedUs: number },
): Slice {
  return { ...sumUp(inOrderOfTime(rows, hours, request.most), request), summarisedUs };
}

function sumUp({ items, nextUs }: BucketItems, request: SliceRequest): Slice {
  const { buckets, limit } = request;
  if (!buckets) throw new Error('no buckets are asked for');
  const write: WriteRow = createRowWriter(request);
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

function isReading(item: BucketItems['items'][number]): item is SliceRow {
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
