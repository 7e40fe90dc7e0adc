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
  /** Likewise the sum of the values that a smaller one follows: what a counter has lost by resets. */
  fallen: number;
  fallenError: number;
}

/** A bucket whose readings are not all known yet; plain data, since it crosses from one thread to another. */
export interface OpenBucket extends BucketTime {
  sums: Sums;
  /** The last value before it; undefined if there is none. */
  before: number | undefined;
  /** The sums of its newest quarter, which are no part of its own yet, and where that ends. */
  quarter: Sums | undefined;
  quarterEndUs: number;
}

/** The sum of huge values may exceed a double, while their mean does not. A power of two changes no digit of any above 1e-295. */
export const sumScale = 2 ** -40;

export function openBucket({ startUs, endUs }: BucketTime, before?: number): OpenBucket {
  return { startUs, endUs, sums: emptySums(), before, quarter: undefined, quarterEndUs: 0 };
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
 * Adds the next values in order of time, from one index up to another. Without `hasFalls` the sums lack `fallen`.
 */
export function addToSums(
  sums: Sums,
  values: ArrayLike<number>,
  startIndex: number,
  endIndex: number,
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
    error += roundingError(nextSum, sum, scaled);
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
      fallenError += roundingError(nextFallen, fallen, fallenValue);
      fallen = nextFallen;
    }
    previous = value;
  }
  sums.fallen = fallen;
  sums.fallenError = fallenError;
}

/** Adds the sums of a later quarter, rounded to what is stored of one. */
export function mergeSums(target: Sums, added: Sums): void {
  if (added.count === 0) return;
  if (target.count === 0) target.first = added.first;

  const sum = added.sum + added.error;
  const mergedSum = target.sum + sum;
  target.error += roundingError(mergedSum, target.sum, sum);
  target.sum = mergedSum;

  const fallenBetween = target.count > 0 && added.first < target.last ? target.last : 0;
  const addedFallen = added.fallen + added.fallenError;
  for (const fallen of [fallenBetween * sumScale, addedFallen]) {
    const mergedFallen = target.fallen + fallen;
    target.fallenError += roundingError(mergedFallen, target.fallen, fallen);
    target.fallen = mergedFallen;
  }

  target.count += added.count;
  target.min = Math.min(target.min, added.min);
  target.max = Math.max(target.max, added.max);
  target.last = added.last;
}

/** The exact error of a sum of two numbers (Knuth's TwoSum). */
function roundingError(sum: number, one: number, other: number): number {
  const added = sum - one;
  return one - (sum - added) + (other - added);
}

/** Sums of huge values may exceed a double, which JSON has no number for. */
function finite(value: number): number {
  return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
}

export function closeBucket(bucket: OpenBucket): ReadingBucket {
  const { count, sum, error, min, max, first, last } = bucket.sums;
  const mean = Math.min(Math.max((sum + error) / count / sumScale, min), max);
  return {
    atUs: bucket.startUs,
    count,
    avg: mean,
    min,
    max,
    first,
    last,
    increase: increaseOf(bucket),
  };
}

/** The growth of a counter since the last value before the bucket; the very first value adds 0. */
function increaseOf(bucket: OpenBucket): number {
  const { first, last, fallen: fallenInside, fallenError } = bucket.sums;
  const start = bucket.before ?? first;
  const fallenBefore = first < start ? start : 0;
  const fallen = fallenBefore + (fallenInside + fallenError) / sumScale;
  const terms = Math.abs(last) + Math.abs(start) + Math.abs(fallen);
  return finite(shortestNear(last - start + fallen, terms * Number.EPSILON));
}

/** The number with the fewest decimals that differs by at most the rounding error: 0.2 for 0.3 - 0.1. */
function shortestNear(value: number, error: number): number {
  for (let scale = 1; scale <= 1e15; scale *= 10) {
    const rounded = Math.round(value * scale) / scale;
    if (Math.abs(rounded - value) <= error) return rounded;
  }
  return value;
}
