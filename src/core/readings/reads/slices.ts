import type { BucketSpan, ReadingBucket } from '../../port/readings.ts';
import { type Columns, type Piece, placeOf } from '../columns.ts';
import { RowWriter } from '../reading-text.ts';
import { bucketTime } from './bucket-spans.ts';
import { addSummarised, addToSums, closeBucket, type OpenBucket, openBucket } from './buckets.ts';
import {
  addByQuarters,
  addQuarter,
  endQuarter,
  type Quarters,
  type SummedPiece,
} from './quarters.ts';
import type { Slice, SliceRequest, TextSliceRequest } from './slice-request.ts';
import { type HourRow, hoursInSlice, usesSummaries } from './summaries.ts';

/** The summaries that a slice may count, and the latest instant of its series that was dropped. */
interface Dropped {
  hours: readonly HourRow[];
  summarisedUs: number | null;
}

/** Writes the readings of a slice or sums them up. The pieces are read in order of time, as far as the slice needs them. */
export function toSlice(
  request: SliceRequest,
  pieces: Iterable<Piece>,
  dropped?: Dropped,
  memory?: ArrayBuffer,
): Slice {
  if (request.format === undefined) return sumUp(request, request.buckets, pieces, dropped);
  if (request.buckets) return sumUp(request, request.buckets, pieces, dropped);
  return write(request, pieces, memory);
}

function write(
  request: TextSliceRequest,
  pieces: Iterable<Piece>,
  memory: ArrayBuffer | undefined,
): Slice {
  const wanted = Math.min(request.most, request.limit);
  const rows = new RowWriter(request, wanted, memory);
  let nextUs: number | null = null;
  for (const { columns, from, to } of pieces) {
    const endPlace = Math.min(to, from + wanted - rows.count);
    rows.addReadings(columns, from, endPlace);
    if (endPlace === to) continue;
    nextUs = columns.atUs[endPlace] ?? null;
    break;
  }
  return { ...textOf(rows), scanned: rows.count, nextUs };
}

/**
 * Sums up readings and quarters in buckets. Of an hour with a summary, readings up to the last one that it counts arrived after it
 * and are left out: it may count them already.
 */
export function sumUp(
  request: SliceRequest,
  span: BucketSpan,
  pieces: Iterable<Piece | SummedPiece>,
  dropped?: Dropped,
): Slice {
  const { hours = [], summarisedUs } = dropped ?? {};
  const sums = new BucketWriter(request, span);
  let hour = 0;
  /** Where readings begin that no summary counts. */
  let countedUs = Number.NEGATIVE_INFINITY;
  let seen = 0;
  const endAt = (nextUs: number | null) => ({ ...sums.end(nextUs), summarisedUs });
  /** Adds the summaries up to an instant; returns the instant of the first one that this slice does not count. */
  const addHours = (untilUs: number): number | undefined => {
    for (let next = hours[hour]; next && next.hourUs <= untilUs; next = hours[hour]) {
      if (hour === hoursInSlice || !sums.addHour(next)) return next.hourUs;
      countedUs = Math.max(countedUs, next.lastAtUs + 1);
      hour++;
    }
    return undefined;
  };
  for (const piece of pieces) {
    if ('quarters' in piece) {
      const { quarters, from, to } = piece;
      const nextUs = addHours(quarters.startUs[from] ?? 0);
      if (nextUs !== undefined) return endAt(nextUs);
      const endPlace = Math.min(to, from + request.most - seen);
      const stoppedAt = sums.addQuarters(quarters, from, endPlace);
      if (stoppedAt < to) return endAt(quarters.startUs[stoppedAt] ?? 0);
      seen += to - from;
      continue;
    }
    const { columns, from, to } = piece;
    for (let place = from; place < to; ) {
      const nextUs = addHours(columns.atUs[place] ?? 0);
      if (nextUs !== undefined) return endAt(nextUs);
      const first = Math.min(Math.max(placeOf(columns, countedUs), place), to);
      const endPlace = Math.min(
        placeOf(columns, hours[hour]?.hourUs ?? Number.POSITIVE_INFINITY),
        to,
        place + request.most - seen,
      );
      if (endPlace === place) return endAt(Math.max(countedUs, columns.atUs[place] ?? 0));
      const stoppedAt = sums.addReadings(columns, Math.min(first, endPlace), endPlace);
      if (stoppedAt < endPlace) return endAt(columns.atUs[stoppedAt] ?? 0);
      seen += endPlace - place;
      place = endPlace;
    }
  }
  return endAt(addHours(Number.POSITIVE_INFINITY) ?? null);
}

/** The most buckets that a slice writes: some milliseconds, even if each holds one reading. */
const bucketsInSlice = 5000;

/**
 * Reads the slices of several series, one after the other, each with the rows and readings that those before it have left: until one
 * is not at its end, or they are as much together as one slice.
 */
export function slicesInOrder(
  requests: readonly SliceRequest[],
  readSlice: (request: SliceRequest, place: number) => Slice,
): Slice[] {
  const slices: Slice[] = [];
  let { limit = 0, most = 0 } = requests[0] ?? {};
  let rows = 0;
  for (const [place, request] of requests.entries()) {
    const slice = readSlice({ ...request, limit, most }, place);
    slices.push(slice);
    limit -= slice.count;
    most -= slice.scanned;
    rows += slice.count;
    if (slice.nextUs !== null || limit === 0 || most <= 0 || rows >= bucketsInSlice) break;
  }
  return slices;
}

/** Sums up readings and hours in order of time, and writes each bucket that is complete. */
class BucketWriter {
  readonly #rows: RowWriter | BucketList;
  readonly #span: BucketSpan;
  readonly #limit: number;
  readonly #isByQuarters: boolean;
  #open: OpenBucket | undefined;
  #scanned = 0;

  constructor(request: SliceRequest, span: BucketSpan) {
    this.#rows = request.format === undefined ? new BucketList() : new RowWriter(request, 100);
    this.#span = span;
    this.#limit = Math.min(request.limit, bucketsInSlice);
    this.#isByQuarters = usesSummaries({ buckets: span });
    this.#open = request.open;
  }

  /** Adds the readings from one place up to another; returns the place of the first one after the last bucket that is wanted. */
  addReadings(columns: Columns, from: number, to: number): number {
    const { atUs, values } = columns;
    for (let place = from; place < to; ) {
      const bucket = this.#bucketOf(atUs[place] ?? 0);
      if (!bucket) return place;
      const endPlace = placeOf({ atUs, count: to }, bucket.endUs);
      if (this.#isByQuarters) addByQuarters(bucket, columns, place, endPlace);
      else addToSums(bucket, values, place, endPlace);
      this.#scanned += endPlace - place;
      place = endPlace;
    }
    return to;
  }

  /** Adds the quarters from one place up to another; returns the place of the first one after the last bucket that is wanted. */
  addQuarters(quarters: Quarters, from: number, to: number): number {
    for (let place = from; place < to; place++) {
      const bucket = this.#bucketOf(quarters.startUs[place] ?? 0);
      if (!bucket) return place;
      addQuarter(bucket, quarters, place);
      this.#scanned++;
    }
    return to;
  }

  /** Adds an hour; returns false if it is after the last bucket that is wanted. */
  addHour(hour: HourRow): boolean {
    const bucket = this.#bucketOf(hour.hourUs);
    if (!bucket) return false;
    endQuarter(bucket);
    addSummarised(bucket, hour);
    this.#scanned++;
    return true;
  }

  /** The slice; `nextUs` is the instant of the first reading or hour after it. */
  end(nextUs: number | null): Slice {
    if (nextUs === null) this.#writeOpen();
    return {
      ...(this.#rows instanceof BucketList ? this.#rows.content() : textOf(this.#rows)),
      scanned: this.#scanned,
      nextUs,
      open: nextUs === null ? undefined : this.#open,
    };
  }

  /** The bucket of an instant, before which the one before it is complete; undefined once nothing more is needed. */
  #bucketOf(atUs: number): OpenBucket | undefined {
    if (this.#open && atUs < this.#open.endUs) return this.#open;
    this.#writeOpen();
    this.#open = openBucket(bucketTime(this.#span, atUs));
    if (this.#rows.count < this.#limit) return this.#open;
    this.#scanned++;
    return undefined;
  }

  /** A bucket that the slice before has opened for its next reading stays empty if that was erased meanwhile. */
  #writeOpen(): void {
    if (this.#open) endQuarter(this.#open);
    if (this.#open && this.#open.count > 0) this.#rows.addBucket(closeBucket(this.#open));
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
    return { text: new Uint8Array(0), count: this.count, digest: '', buckets: this.#buckets };
  }
}

function textOf(rows: RowWriter): Pick<Slice, 'text' | 'count' | 'digest'> {
  const text = rows.text();
  const { hash } = process.getBuiltinModule('node:crypto');
  return { text, count: rows.count, digest: hash('sha256', text, 'base64url') };
}
