import type { BucketSpan } from '../../port/readings.ts';
import { type Columns, placeOf } from '../columns.ts';
import { bucketStart } from './bucket-spans.ts';
import { addToSums, emptySums, type OpenBucket, type Sums } from './buckets.ts';

/** A quarter of an hour: midnight of every time zone begins one. */
export const quarterUs = 900_000_000;
export const quartersOfDay = 96;
/** A day of UTC, whose quarters are kept together. */
export const dayUs = quartersOfDay * quarterUs;

/** Since this instant every zone is ahead by a whole number of quarters. */
const zonesInQuartersUs = Date.UTC(1980, 0, 1) * 1000;

/** From when on each quarter lies in one bucket, if buckets have the length of hours or days. */
export function quartersFromUs(span: BucketSpan): number {
  return 'days' in span ? zonesInQuartersUs : Number.NEGATIVE_INFINITY;
}

/** The sums of quarters in order of time, column by column; those without readings are left out. */
export interface Quarters {
  count: number;
  startUs: Float64Array;
  counts: Float64Array;
  sums: Float64Array;
  errors: Float64Array;
  mins: Float64Array;
  maxs: Float64Array;
  lasts: Float64Array;
}

/** The quarters from one place (inclusive) up to another (exclusive), in place of their readings. */
export interface SummedPiece {
  quarters: Quarters;
  from: number;
  to: number;
}

export function createQuarters(): Quarters {
  const column = () => new Float64Array(quartersOfDay);
  return {
    count: 0,
    startUs: column(),
    counts: column(),
    sums: column(),
    errors: column(),
    mins: column(),
    maxs: column(),
    lasts: column(),
  };
}

/** Adds readings of a bucket, from one place up to another, so that its sums do not depend on what sums of quarters are kept. */
export function addByQuarters(
  bucket: OpenBucket,
  { atUs, values }: Columns,
  from: number,
  to: number,
): void {
  for (let place = from; place < to; ) {
    const at = atUs[place] ?? 0;
    if (!bucket.quarter || at >= bucket.quarter.endUs) {
      endQuarter(bucket);
      bucket.quarter = { ...emptySums(), endUs: bucketStart(at, quarterUs) + quarterUs };
    }
    const endPlace = placeOf({ atUs, count: to }, bucket.quarter.endUs);
    addToSums(bucket.quarter, values, place, endPlace);
    place = endPlace;
  }
}

/** Adds the quarter at a place to its bucket, the next one in order of time. */
export function addQuarter(bucket: OpenBucket, quarters: Quarters, place: number): void {
  endQuarter(bucket);
  mergeSums(bucket, {
    count: quarters.counts[place] ?? 0,
    sum: quarters.sums[place] ?? 0,
    error: quarters.errors[place] ?? 0,
    min: quarters.mins[place] ?? 0,
    max: quarters.maxs[place] ?? 0,
    last: quarters.lasts[place] ?? 0,
  });
}

export function endQuarter(bucket: OpenBucket): void {
  if (bucket.quarter) mergeSums(bucket, bucket.quarter);
  bucket.quarter = undefined;
}

function mergeSums(into: Sums, { count, sum, error, min, max, last }: Sums): void {
  const next = into.sum + sum;
  const added = next - into.sum;
  into.error += into.sum - (next - added) + (sum - added) + error;
  into.sum = next;
  into.count += count;
  into.min = Math.min(into.min, min);
  into.max = Math.max(into.max, max);
  into.last = last;
}

/** Sums up the readings of a day of UTC, given in order of time. */
export class QuarterSums {
  readonly #quarters = createQuarters();
  #open = emptySums();
  #startUs = Number.NEGATIVE_INFINITY;
  count = 0;

  add({ atUs, values }: Columns, from: number, to: number): void {
    for (let place = from; place < to; ) {
      const at = atUs[place] ?? 0;
      if (at >= this.#startUs + quarterUs) {
        this.#end();
        this.#startUs = bucketStart(at, quarterUs);
      }
      const endPlace = placeOf({ atUs, count: to }, this.#startUs + quarterUs);
      addToSums(this.#open, values, place, endPlace);
      place = endPlace;
    }
    this.count += to - from;
  }

  end(): Quarters {
    this.#end();
    return this.#quarters;
  }

  #end(): void {
    const { count, sum, error, min, max, last } = this.#open;
    if (count === 0) return;
    const quarters = this.#quarters;
    const place = quarters.count++;
    quarters.startUs[place] = this.#startUs;
    quarters.counts[place] = count;
    quarters.sums[place] = sum;
    quarters.errors[place] = error;
    quarters.mins[place] = min;
    quarters.maxs[place] = max;
    quarters.lasts[place] = last;
    this.#open = emptySums();
  }
}
