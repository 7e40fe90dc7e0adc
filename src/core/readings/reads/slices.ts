import type { BucketSpan, ReadingRange, ReadingTextRequest } from '../../port/readings.ts';
import { endOfTimeUs, within } from '../instants.ts';
import { RowWriter } from '../reading-text.ts';
import { indexAt, partOf, type SeriesReadings } from '../series-readings.ts';
import { bucketTime } from './bucket-spans.ts';
import { addToSums, closeBucket, type OpenBucket, openBucket } from './buckets.ts';
import { addByQuarters, addQuarter, endQuarter, isOfQuarters, type Quarters } from './quarters.ts';

/** The state that a slice passes on to the next one of its read. */
interface Rest {
  open?: OpenBucket;
  /** Readings after it that were read already, so that not each slice waits for a server; `isAll` if there are no more. */
  ahead?: SeriesReadings & { isAll: boolean };
}

/** A part of a read, small enough that other reads need not wait for it. */
export interface SliceRequest extends ReadingTextRequest, Rest {
  most: number;
  /** The start of the first slice of this read; undefined for the beginning. */
  beganUs?: number;
}

export interface Slice extends Rest {
  /** In a buffer that nothing else is in, so that it can be transferred. */
  text: Uint8Array<ArrayBuffer>;
  count: number;
  digest: string;
  scanned: number;
  /** The instant of the first reading after them; null if there is none. */
  nextUs: number | null;
}

/** The readings that an engine has to read, in order of time. */
export type SliceRange = Required<ReadingRange>;

/** A further reading, behind those that the slice takes, shows whether there is more, and where it starts. */
export function rangeOfSlice({
  series,
  fromUs,
  toUs,
  limit,
  most,
  buckets,
}: SliceRequest): SliceRange {
  const rowLimit = buckets ? most : Math.min(most, limit);
  return boundedRange({
    series,
    fromUs,
    toUs,
    limit: rowLimit + 1,
  });
}

export function boundedRange({ series, fromUs, toUs, limit }: ReadingRange): SliceRange {
  return {
    series,
    fromUs: within(fromUs ?? -endOfTimeUs),
    toUs: within(toUs ?? endOfTimeUs),
    limit,
  };
}

/** The last value before the first bucket of a slice, which begins with an instant; undefined if there is none. */
export type ValueBefore = (firstUs: number) => number | undefined;

/** Writes the readings of a slice or sums them up; takes them in order of time, as far as it needs them. */
export function toSlice(
  request: SliceRequest,
  parts: Iterable<SeriesReadings>,
  { memory, valueBefore }: SliceSources,
): Slice {
  if (request.buckets) return sumUp(request, request.buckets, parts, { valueBefore });
  return writeReadings(request, parts, memory);
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
  return !!request.buckets?.aggregates.includes('increase');
}

function writeReadings(
  request: SliceRequest,
  parts: Iterable<SeriesReadings>,
  memory: ArrayBuffer | undefined,
): Slice {
  const rowLimit = Math.min(request.most, request.limit);
  const writer = new RowWriter(request, rowLimit, memory);
  let nextUs: number | null = null;
  for (const readings of parts) {
    const endIndex = Math.min(readings.count, rowLimit - writer.count);
    writer.addReadings(partOf(readings, 0, endIndex));
    if (endIndex === readings.count) continue;
    nextUs = readings.atUs[endIndex] ?? null;
    break;
  }
  return { ...textOf(writer), scanned: writer.count, nextUs };
}

/** Sums up readings and quarters in buckets. Without `endUs` they are all that there is; else the next slice begins with it. */
export function sumUp(
  request: SliceRequest,
  span: BucketSpan,
  parts: Iterable<SeriesReadings | Quarters>,
  { valueBefore, endUs = null }: SumSources,
): Slice {
  const writer = new BucketWriter(request, span, valueBefore);
  let remaining = request.most;
  for (const part of parts) {
    const wanted = Math.min(part.count, remaining);
    const isSummed = 'startUs' in part;
    const stoppedAt = isSummed
      ? writer.addQuarters(part, wanted)
      : writer.addReadings(part, wanted);
    const instants = isSummed ? part.startUs : part.atUs;
    if (stoppedAt < part.count) return writer.end(instants[stoppedAt] ?? 0);
    remaining -= part.count;
  }
  return writer.end(endUs);
}

interface SumSources extends Pick<SliceSources, 'valueBefore'> {
  endUs?: number | null;
}

/** The most buckets that a slice writes: some milliseconds, even if each holds one reading. */
const bucketsInSlice = 5000;

/**
 * Reads the slices of several series, one after the other, each with the rows that those before it have left. Stops at one that
 * is not at its end, or when they are together as much as one slice.
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
  readonly #rows: RowWriter;
  readonly #span: BucketSpan;
  readonly #limit: number;
  readonly #isByQuarters: boolean;
  readonly #hasFalls: boolean;
  readonly #valueBefore: ValueBefore | undefined;
  #open: OpenBucket | undefined;
  #scanned = 0;

  constructor(request: SliceRequest, span: BucketSpan, valueBefore: ValueBefore | undefined) {
    this.#rows = new RowWriter(request, 100);
    this.#span = span;
    this.#limit = Math.min(request.limit, bucketsInSlice);
    this.#isByQuarters = isOfQuarters({ buckets: span });
    this.#hasFalls = hasIncrease(request);
    this.#valueBefore = valueBefore;
    this.#open = request.open;
  }

  /** Adds the first readings; returns the index of the first one after the last bucket that is wanted. */
  addReadings(readings: SeriesReadings, endIndex: number): number {
    const { atUs, values } = readings;
    for (let readingIndex = 0; readingIndex < endIndex; ) {
      const bucket = this.#bucketOf(atUs[readingIndex] ?? 0);
      if (!bucket) return readingIndex;
      const bucketEnd = indexAt({ atUs, count: endIndex }, bucket.endUs);

      const hasFalls = this.#hasFalls;
      if (this.#isByQuarters) addByQuarters(bucket, readings, readingIndex, bucketEnd, hasFalls);
      else addToSums(bucket.sums, values, readingIndex, bucketEnd, hasFalls);
      this.#scanned += bucketEnd - readingIndex;
      readingIndex = bucketEnd;
    }
    return endIndex;
  }

  /** The same for quarters. */
  addQuarters(quarters: Quarters, endIndex: number): number {
    for (let quarterIndex = 0; quarterIndex < endIndex; quarterIndex++) {
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
      ...textOf(this.#rows),
      scanned: this.#scanned,
      nextUs,
      open: nextUs === null ? undefined : this.#open,
    };
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
    const { sums, before } = this.#open;
    return sums.count > 0 ? sums.last : before;
  }

  /** A bucket that the slice before has opened for its next reading stays empty if that was erased meanwhile. */
  #writeOpen(): void {
    if (!this.#open) return;
    endQuarter(this.#open);
    if (this.#open.sums.count > 0) {
      this.#rows.addBucket(closeBucket(this.#open));
    }
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
