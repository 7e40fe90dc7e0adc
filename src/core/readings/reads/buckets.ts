import type { ReadingBucket } from '../../port/readings.ts';
import type { BucketTime } from './bucket-spans.ts';

/** The sums of values, added in order of time. */
export interface Sums {
  count: number;
  /** The sum of the values times {@link scale}, and its rounding error: the result does not depend on the slices in which readings are read. */
  sum: number;
  error: number;
  min: number;
  max: number;
  last: number;
}

/** A bucket whose readings are not all known yet; plain data, since it crosses from one thread to another. */
export interface OpenBucket extends BucketTime, Sums {
  /** The sums of its newest quarter, which are no part of its own yet. */
  quarter?: (Sums & { endUs: number }) | undefined;
  /** The summary it begins with: if nothing else is added, its mean is the bucket's, to the last digit. */
  summary?: { count: number; mean: number };
}

export interface SummarisedHour {
  count: number;
  min: number;
  max: number;
  mean: number;
  last: number;
}

/** The sum of huge values may exceed a double, while their mean does not. A power of two changes no digit of any above 1e-295. */
const scale = 2 ** -40;

export function openBucket({ startUs, endUs }: BucketTime): OpenBucket {
  return { startUs, endUs, ...emptySums() };
}

export function emptySums(): Sums {
  const [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    count: 0,
    sum: 0,
    error: 0,
    min,
    max,
    last: 0,
  };
}

/** Adds the next values in order of time, from one place up to another. */
export function addToSums(
  sums: Sums,
  values: ArrayLike<number>,
  startIndex = 0,
  endIndex = values.length,
): void {
  let { sum, error, min, max } = sums;
  for (let valueIndex = startIndex; valueIndex < endIndex; valueIndex++) {
    const value = values[valueIndex] ?? 0;
    const scaled = value * scale;
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
  sums.last = values[endIndex - 1] ?? sums.last;
}

/** Adds the next hour whose readings were dropped, in order of time. */
export function addSummarised(
  bucket: OpenBucket,
  { count, min, max, mean, last }: SummarisedHour,
): void {
  const scaledSum = mean * scale * count;
  const sum = bucket.sum + scaledSum;
  const addedSum = sum - bucket.sum;
  const error = bucket.error + (bucket.sum - (sum - addedSum) + (scaledSum - addedSum));
  if (bucket.count === 0) {
    bucket.summary = { count, mean };
  }
  bucket.sum = sum;
  bucket.error = error;
  bucket.count += count;
  bucket.min = Math.min(bucket.min, min);
  bucket.max = Math.max(bucket.max, max);
  bucket.last = last;
}

export function closeBucket({ startUs, count, sum, error, ...bucket }: OpenBucket): ReadingBucket {
  const { min, max, last, summary } = bucket;
  if (summary?.count === count) {
    return {
      atUs: startUs,
      count,
      avg: summary.mean,
      min,
      max,
      last,
    };
  }
  const avg = (sum + error) / count / scale;
  return {
    atUs: startUs,
    count,
    avg: Math.min(Math.max(avg, min), max),
    min,
    max,
    last,
  };
}
