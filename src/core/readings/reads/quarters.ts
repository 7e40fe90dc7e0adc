import type { BucketSpan } from '../../port/readings.ts';
import { indexAt, type SeriesReadings } from '../series-readings.ts';
import { bucketStart } from './bucket-spans.ts';
import { addToSums, emptySums, mergeSums, type OpenBucket } from './buckets.ts';

/** A quarter of an hour: since 1980 midnight of every time zone begins one, and no reading is older than 1990. */
export const quarterUs = 900_000_000;
export const quartersOfDay = 96;
/** A day of UTC, whose quarters are kept together. */
export const dayUs = quartersOfDay * quarterUs;

/** Whether each bucket of a request holds whole quarters: months and days do. */
export function isOfQuarters({ buckets }: { buckets?: BucketSpan }): boolean {
  if (buckets === undefined) return false;
  if (!('widthUs' in buckets)) return true;
  const { widthUs, originUs = 0 } = buckets;
  return widthUs % quarterUs === 0 && originUs % quarterUs === 0;
}

/** The sums of quarters in order of time, column by column; those without readings are left out. */
export interface Quarters {
  count: number;
  startUs: Float64Array;
  counts: Float64Array;
  sums: Float64Array;
  mins: Float64Array;
  maxs: Float64Array;
  firsts: Float64Array;
  lasts: Float64Array;
  fallens: Float64Array;
}

/**
 * Memory for a number of quarters, of which there are none yet. A year of days would be thousands of buffers if each column were
 * one. In `decodeDaySums` `sums` and `fallens` are read as one array, and so are `mins` to `lasts`: they follow each other.
 */
export function createQuarters(size: number = quartersOfDay): Quarters {
  const columnBytes = size * Float64Array.BYTES_PER_ELEMENT;
  const memory = new ArrayBuffer(quarterColumns.length * columnBytes);
  let columnCount = 0;
  const column = () => new Float64Array(memory, columnCount++ * columnBytes, size);
  return {
    count: 0,
    startUs: column(),
    counts: column(),
    sums: column(),
    fallens: column(),
    mins: column(),
    maxs: column(),
    firsts: column(),
    lasts: column(),
  };
}

/** Names the columns that are copied from one place of quarters to another. */
const quarterColumns = [
  'startUs',
  'counts',
  'sums',
  'mins',
  'maxs',
  'firsts',
  'lasts',
  'fallens',
] as const satisfies readonly (keyof Quarters)[];

/** The quarters of both lists in order of time; of one that both have the first list's. */
export function joinedQuarters(first: Quarters, second: Quarters): Quarters {
  const joined = createQuarters();
  const copy = (quarters: Quarters, place: number) => {
    for (const column of quarterColumns)
      joined[column][joined.count] = quarters[column][place] ?? 0;
    joined.count++;
  };
  let firstPlace = 0;
  for (let place = 0; place < second.count; place++) {
    const startUs = second.startUs[place] ?? 0;
    while (firstPlace < first.count && (first.startUs[firstPlace] ?? 0) < startUs)
      copy(first, firstPlace++);
    if (firstPlace === first.count || first.startUs[firstPlace] !== startUs) copy(second, place);
  }
  while (firstPlace < first.count) copy(first, firstPlace++);
  return joined;
}

/** The quarters from one place (inclusive) up to another (exclusive), in the same memory. */
export function partOfQuarters(quarters: Quarters, from: number, to: number): Quarters {
  const part = { ...quarters, count: to - from };
  for (const column of quarterColumns) part[column] = quarters[column].subarray(from, to);
  return part;
}

/** The quarters outside of the places from one (inclusive) up to another (exclusive). */
export function quartersOutside(quarters: Quarters, from: number, to: number): Quarters {
  const rest = createQuarters();
  for (const column of quarterColumns) {
    rest[column].set(quarters[column].subarray(0, from));
    rest[column].set(quarters[column].subarray(to, quarters.count), from);
  }
  rest.count = quarters.count - (to - from);
  return rest;
}

/** The readings of each quarter of an hour, from one index (inclusive) up to another (exclusive). */
export function* quartersOf(
  { atUs, count }: SeriesReadings,
  startIndex = 0,
  endIndex = count,
): Generator<{ startUs: number; from: number; to: number }> {
  for (let from = startIndex; from < endIndex; ) {
    const startUs = bucketStart(atUs[from] ?? 0, quarterUs);
    const to = indexAt({ atUs, count: endIndex }, startUs + quarterUs);
    yield { startUs, from, to };
    from = to;
  }
}

/** Adds readings of a bucket, from one index up to another, so that its sums do not depend on which sums of quarters are stored. */
export function addByQuarters(
  bucket: OpenBucket,
  readings: SeriesReadings,
  startIndex: number,
  endIndex: number,
  hasFalls: boolean,
): void {
  for (const { startUs, from, to } of quartersOf(readings, startIndex, endIndex)) {
    const endUs = startUs + quarterUs;
    if (!bucket.quarter || bucket.quarterEndUs !== endUs) {
      endQuarter(bucket);
      bucket.quarter = emptySums();
      bucket.quarterEndUs = endUs;
    }
    addToSums(bucket.quarter, readings.values, from, to, hasFalls);
  }
}

/** Adds the quarter at a place to its bucket, the next one in order of time. */
export function addQuarter(bucket: OpenBucket, quarters: Quarters, quarterIndex: number): void {
  endQuarter(bucket);
  mergeSums(bucket.sums, {
    count: quarters.counts[quarterIndex] ?? 0,
    sum: quarters.sums[quarterIndex] ?? 0,
    error: 0,
    min: quarters.mins[quarterIndex] ?? 0,
    max: quarters.maxs[quarterIndex] ?? 0,
    first: quarters.firsts[quarterIndex] ?? 0,
    last: quarters.lasts[quarterIndex] ?? 0,
    fallen: quarters.fallens[quarterIndex] ?? 0,
    fallenError: 0,
  });
}

export function endQuarter(bucket: OpenBucket): void {
  if (bucket.quarter) mergeSums(bucket.sums, bucket.quarter);
  bucket.quarter = undefined;
}

/** Sums up the readings of a day of UTC, given in order of time. */
export class QuarterSums {
  readonly #quarters = createQuarters();
  #open = emptySums();
  #startUs = Number.NEGATIVE_INFINITY;
  count = 0;

  add(readings: SeriesReadings, startIndex = 0, endIndex = readings.count): void {
    for (const { startUs, from, to } of quartersOf(readings, startIndex, endIndex)) {
      if (startUs > this.#startUs) {
        this.#end();
        this.#startUs = startUs;
      }
      addToSums(this.#open, readings.values, from, to);
    }
    this.count += endIndex - startIndex;
  }

  end(): Quarters {
    this.#end();
    return this.#quarters;
  }

  #end(): void {
    const { count, sum, error, min, max, first, last, fallen, fallenError } = this.#open;
    if (count === 0) return;
    const quarters = this.#quarters;
    const quarterIndex = quarters.count++;
    quarters.startUs[quarterIndex] = this.#startUs;
    quarters.counts[quarterIndex] = count;
    quarters.sums[quarterIndex] = sum + error;
    quarters.mins[quarterIndex] = min;
    quarters.maxs[quarterIndex] = max;
    quarters.firsts[quarterIndex] = first;
    quarters.lasts[quarterIndex] = last;
    quarters.fallens[quarterIndex] = fallen + fallenError;
    this.#open = emptySums();
  }
}
