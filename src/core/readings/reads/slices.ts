import type { BucketSpan, ReadingBucket } from '../../port/readings.ts';
import { type Columns, type Piece, placeOf } from '../columns.ts';
import { RowWriter } from '../reading-text.ts';
import { bucketTime } from './bucket-spans.ts';
import { addToSums, closeBucket, type OpenBucket, openBucket } from './buckets.ts';
import {
  addByQuarters,
  addQuarter,
  endQuarter,
  isOfQuarters,
  type Quarters,
  type SummedPiece,
} from './quarters.ts';
import type { Slice, SliceRequest, TextSliceRequest } from './slice-request.ts';

/** The last value before the first bucket of a slice, which begins with an instant; undefined if there is none. */
export type ValueBefore = (firstUs: number) => number | undefined;

/** Writes the readings of a slice or sums them up. The pieces are read in order of time, as far as the slice needs them. */
export function toSlice(
  request: SliceRequest,
  pieces: Iterable<Piece>,
  { memory, valueBefore }: SliceSources = {},
): Slice {
  if (request.format === undefined) {
    return sumUp(request, request.buckets, pieces, { valueBefore });
  }
  if (request.buckets) {
    return sumUp(request, request.buckets, pieces, { valueBefore });
  }
  return writeReadings(request, pieces, memory);
}

interface SliceSources {
  /** The text may be written into it. */
  memory?: ArrayBuffer | undefined;
  /** Needed if {@link wantsIncrease}. */
  valueBefore?: ValueBefore | undefined;
}

/** Whether a slice needs the last value before its range; later slices of a read have it in their open bucket. */
export function wantsIncrease(request: SliceRequest): boolean {
  return request.open === undefined && hasIncrease(request);
}

function hasIncrease(request: SliceRequest): boolean {
  return request.format === undefined || !!request.buckets?.aggregates.includes('increase');
}

function writeReadings(
  request: TextSliceRequest,
  pieces: Iterable<Piece>,
  memory: ArrayBuffer | undefined,
): Slice {
  const rowLimit = Math.min(request.most, request.limit);
  const writer = new RowWriter(request, rowLimit, memory);
  let nextUs: number | null = null;
  for (const { columns, from, to } of pieces) {
    const endIndex = Math.min(to, from + rowLimit - writer.count);
    writer.addReadings(columns, from, endIndex);
    if (endIndex === to) continue;
    nextUs = columns.atUs[endIndex] ?? null;
    break;
  }
  return { ...textOf(writer), scanned: writer.count, nextUs };
}

/** Sums up readings and quarters in buckets. Without `endUs` the pieces are all that there is; else the next slice begins with it. */
export function sumUp(
  request: SliceRequest,
  span: BucketSpan,
  pieces: Iterable<Piece | SummedPiece>,
  { valueBefore, endUs = null }: SumSources,
): Slice {
  const writer = new BucketWriter(request, span, valueBefore);
  let remaining = request.most;
  for (const piece of pieces) {
    const { from, to } = piece;
    const wantedEnd = Math.min(to, from + remaining);
    const isSummed = 'quarters' in piece;
    const instants = isSummed ? piece.quarters.startUs : piece.columns.atUs;
    const stoppedAt = isSummed
      ? writer.addQuarters(piece.quarters, from, wantedEnd)
      : writer.addReadings(piece.columns, from, wantedEnd);
    if (stoppedAt < to) return writer.end(instants[stoppedAt] ?? 0);
    remaining -= to - from;
  }
  return writer.end(endUs);
}

interface SumSources extends Pick<SliceSources, 'valueBefore'> {
  endUs?: number | null;
}

/** The most buckets that a slice writes: some milliseconds, even if each holds one reading. */
const bucketsInSlice = 5000;

/**
 * Reads the slices of several series, one after the other, each with the rows and readings that those before it have left: until one
 * is not at its end, or they are as much together as one slice.
 */
export function slicesInOrder(
  requests: readonly SliceRequest[],
  readSlice: (request: SliceRequest, index: number) => Slice,
): Slice[] {
  const slices: Slice[] = [];
  let { limit = 0, most = 0 } = requests[0] ?? {};
  let rowCount = 0;
  for (const [index, request] of requests.entries()) {
    const slice = readSlice({ ...request, limit, most }, index);
    slices.push(slice);
    limit -= slice.count;
    most -= slice.scanned;
    rowCount += slice.count;

    if (slice.nextUs !== null || limit === 0) break;
    if (most <= 0 || rowCount >= bucketsInSlice) break;
  }
  return slices;
}

/** Sums up readings and quarters in order of time, and writes each bucket that is complete. */
class BucketWriter {
  readonly #rows: RowWriter | BucketList;
  readonly #span: BucketSpan;
  readonly #limit: number;
  readonly #isByQuarters: boolean;
  readonly #hasFalls: boolean;
  readonly #valueBefore: ValueBefore | undefined;
  #open: OpenBucket | undefined;
  #scanned = 0;

  constructor(request: SliceRequest, span: BucketSpan, valueBefore: ValueBefore | undefined) {
    this.#rows = request.format === undefined ? new BucketList() : new RowWriter(request, 100);
    this.#span = span;
    this.#limit = Math.min(request.limit, bucketsInSlice);
    this.#isByQuarters = isOfQuarters({ buckets: span });
    this.#hasFalls = hasIncrease(request);
    this.#valueBefore = valueBefore;
    this.#open = request.open;
  }

  /** Adds the readings from one place up to another; returns the place of the first one after the last bucket that is wanted. */
  addReadings(columns: Columns, startIndex: number, endIndex: number): number {
    const { atUs, values } = columns;
    for (let readingIndex = startIndex; readingIndex < endIndex; ) {
      const bucket = this.#bucketOf(atUs[readingIndex] ?? 0);
      if (!bucket) return readingIndex;
      const bucketEnd = placeOf({ atUs, count: endIndex }, bucket.endUs);

      const hasFalls = this.#hasFalls;
      if (this.#isByQuarters) addByQuarters(bucket, columns, readingIndex, bucketEnd, hasFalls);
      else addToSums(bucket, values, readingIndex, bucketEnd, hasFalls);
      this.#scanned += bucketEnd - readingIndex;
      readingIndex = bucketEnd;
    }
    return endIndex;
  }

  /** Adds the quarters from one place up to another; returns the place of the first one after the last bucket that is wanted. */
  addQuarters(quarters: Quarters, startIndex: number, endIndex: number): number {
    for (let quarterIndex = startIndex; quarterIndex < endIndex; quarterIndex++) {
      const bucket = this.#bucketOf(quarters.startUs[quarterIndex] ?? 0);
      if (!bucket) return quarterIndex;
      addQuarter(bucket, quarters, quarterIndex);
      this.#scanned++;
    }
    return endIndex;
  }

  /** The slice; `nextUs` is the instant from which on the next one reads. */
  end(nextUs: number | null): Slice {
    if (nextUs === null) this.#writeOpen();
    return {
      ...this.#content(),
      scanned: this.#scanned,
      nextUs,
      open: nextUs === null ? undefined : this.#open,
    };
  }

  #content(): Pick<Slice, 'text' | 'count' | 'digest' | 'buckets'> {
    return this.#rows instanceof BucketList ? this.#rows.content() : textOf(this.#rows);
  }

  /** The bucket of an instant, before which the one before it is complete; undefined once nothing more is needed. */
  #bucketOf(atUs: number): OpenBucket | undefined {
    if (this.#open && atUs < this.#open.endUs) {
      return this.#open;
    }
    this.#writeOpen();
    this.#open = openBucket(bucketTime(this.#span, atUs), this.#lastValue(atUs));
    if (this.#rows.count < this.#limit) return this.#open;
    this.#scanned++;
    return undefined;
  }

  /** The last value before the bucket that begins with an instant. */
  #lastValue(firstUs: number): number | undefined {
    if (!this.#open) return this.#valueBefore?.(firstUs);
    return this.#open.count > 0 ? this.#open.last : this.#open.before;
  }

  /** A bucket that the slice before has opened for its next reading stays empty if that was erased meanwhile. */
  #writeOpen(): void {
    if (!this.#open) return;
    endQuarter(this.#open);
    if (this.#open.count > 0) {
      this.#rows.addBucket(closeBucket(this.#open));
    }
  }
}

/** Takes the buckets of a slice as they are, where {@link RowWriter} writes them as text. */
class BucketList {
  readonly #buckets: ReadingBucket[] = [];

  get count(): number {
    return this.#buckets.length;
  }

  addBucket(bucket: ReadingBucket): void {
    this.#buckets.push(bucket);
  }

  content(): Pick<Slice, 'text' | 'count' | 'digest' | 'buckets'> {
    return {
      text: new Uint8Array(0),
      count: this.count,
      digest: '',
      buckets: this.#buckets,
    };
  }
}

function textOf(writer: RowWriter): Pick<Slice, 'text' | 'count' | 'digest'> {
  const text = writer.text();
  const { hash } = process.getBuiltinModule('node:crypto');
  return {
    text,
    count: writer.count,
    digest: hash('sha256', text, 'base64url'),
  };
}
