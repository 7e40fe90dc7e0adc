import type { ReadingBucket } from '../../port/readings.ts';
import type { BucketTime } from './bucket-spans.ts';

/** The sums of values, added in order of time. */
export interface Sums {
  count: number;
  /** The sum of the values times {@link sumScale}, and its rounding error: the result does not depend on the slices in which readings are read. */
  sum: number;
  error: number;
  min: number;
  max: number;
  first: number;
  last: number;
  /** Likewise the sum of the values that a smaller one follows; see {@link fallenOf}. */
  fallen: number;
  fallenError: number;
}

/** A bucket whose readings are not all known yet; plain data, since it crosses from one thread to another. */
export interface OpenBucket extends BucketTime, Sums {
  /** The last value before it; undefined if there is none. */
  before: number | undefined;
  /** The sums of its newest quarter, which are no part of its own yet. */
  quarter?: (Sums & { endUs: number }) | undefined;
}

/** The sum of huge values may exceed a double, while their mean does not. A power of two changes no digit of any above 1e-295. */
export const sumScale = 2 ** -40;

export function openBucket({ startUs, endUs }: BucketTime, before?: number): OpenBucket {
  return { startUs, endUs, ...emptySums(), before };
}

export function emptySums(): Sums {
  const [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    count: 0,
    sum: 0,
    error: 0,
    min,
    max,
    first: 0,
    last: 0,
    fallen: 0,
    fallenError: 0,
  };
}

/**
 * Adds the next values in order of time, from one place up to another. Without `hasFalls` the sums lack `fallen`, which costs as much
 * as all others.
 */
export function addToSums(
  sums: Sums,
  values: ArrayLike<number>,
  startIndex = 0,
  endIndex = values.length,
  hasFalls = true,
): void {
  if (startIndex === endIndex) return;
  if (hasFalls) addFalls(sums, values, startIndex, endIndex);
  let { sum, error, min, max } = sums;
  if (sums.count === 0) sums.first = values[startIndex] ?? 0;

  for (let valueIndex = startIndex; valueIndex < endIndex; valueIndex++) {
    const value = values[valueIndex] ?? 0;
    const scaled = value * sumScale;
    const nextSum = sum + scaled;
    // The exact rounding error of the addition (Knuth's TwoSum): with no branch it takes a third of the time.
    const addedSum = nextSum - sum;
    error += sum - (nextSum - addedSum) + (scaled - addedSum);
    sum = nextSum;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  sums.sum = sum;
  sums.error = error;
  sums.min = min;
  sums.max = max;
  sums.count += endIndex - startIndex;
  sums.last = values[endIndex - 1] ?? 0;
}

function addFalls(
  sums: Sums,
  values: ArrayLike<number>,
  startIndex: number,
  endIndex: number,
): void {
  let { fallen, fallenError } = sums;
  let previous = sums.count === 0 ? (values[startIndex] ?? 0) : sums.last;
  for (let valueIndex = startIndex; valueIndex < endIndex; valueIndex++) {
    const value = values[valueIndex] ?? 0;
    if (value < previous) {
      const fallenValue = previous * sumScale;
      const nextFallen = fallen + fallenValue;
      const addedFallen = nextFallen - fallen;
      fallenError += fallen - (nextFallen - addedFallen) + (fallenValue - addedFallen);
      fallen = nextFallen;
    }
    previous = value;
  }
  sums.fallen = fallen;
  sums.fallenError = fallenError;
}

/** Joins the ends of later sums to earlier ones. Must be called before their counts are added. */
export function addEnds(
  sums: Sums,
  { first, last, fallen }: Pick<Sums, 'first' | 'last' | 'fallen'>,
): void {
  if (sums.count === 0) sums.first = first;
  const fallenBetween = sums.count > 0 && first < sums.last ? sums.last : 0;
  sums.fallen += fallenBetween * sumScale + fallen;
  sums.last = last;
}

/** Sums of huge values may exceed a double, which JSON has no number for. */
function finite(value: number): number {
  return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
}

export function closeBucket(bucket: OpenBucket): ReadingBucket {
  const { startUs, count, sum, error, min, max, first, last } = bucket;
  const mean = Math.min(Math.max((sum + error) / count / sumScale, min), max);
  return {
    atUs: startUs,
    count,
    avg: mean,
    min,
    max,
    first,
    last,
    increase: increaseOf(bucket),
  };
}

/** What a counter has grown by since the last value before the bucket; the very first value adds 0. */
function increaseOf(bucket: OpenBucket): number {
  const { before, first, last } = bucket;
  const start = before ?? first;
  const fallenBefore = first < start ? start : 0;
  return finite(last - start + fallenBefore + fallenOf(bucket));
}

/** The sum of the values that a smaller one follows: `last - first + fallen` is what a counter with resets has grown by. */
export function fallenOf({ fallen, fallenError }: Sums): number {
  return finite((fallen + fallenError) / sumScale);
}
