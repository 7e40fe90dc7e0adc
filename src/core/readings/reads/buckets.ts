import type { ReadingBucket } from '../../port/readings.ts';

/** A bucket whose readings are not all known yet; plain data, since it crosses from one thread to another. */
export interface OpenBucket {
  startUs: number;
  count: number;
  sum: CompensatedSum;
  /** The same sum of the values times {@link scale}: the sum of huge values may exceed a double, while their mean does not. */
  scaledSum: CompensatedSum;
  min: number;
  max: number;
  last: number;
  /** The summary it begins with: where nothing else is added, its mean is the bucket's, to the last digit. */
  summary?: { count: number; mean: number };
}

/** What a bucket needs of an hour whose readings were dropped. */
export interface SummarisedHour {
  count: number;
  min: number;
  max: number;
  mean: number;
  last: number;
}

/** A sum with its rounding error (Neumaier). The result does not depend on the slices in which readings are read. */
interface CompensatedSum {
  sum: number;
  error: number;
}

/** A power of two, which changes no digit of a double, and small enough for the sum of as many readings as there can be. */
const scale = 2 ** -64;

/** Where the bucket of an instant starts; the remainder is made positive, for instants before 1970. */
export function bucketStart(atUs: number, widthUs: number): number {
  const rest = atUs % widthUs;
  return rest < 0 ? atUs - rest - widthUs : atUs - rest;
}

/** A bucket with its first value. */
export function openBucket(startUs: number, value: number): OpenBucket {
  const [sum, scaledSum] = [value, value * scale].map((first) => ({ sum: first, error: 0 })) as [
    CompensatedSum,
    CompensatedSum,
  ]; // two of two
  return { startUs, count: 1, sum, scaledSum, min: value, max: value, last: value };
}

/** Adds the next value in order of time. */
export function addToBucket(bucket: OpenBucket, value: number): void {
  bucket.count++;
  add(bucket.sum, value);
  add(bucket.scaledSum, value * scale);
  if (value < bucket.min) bucket.min = value;
  if (value > bucket.max) bucket.max = value;
  bucket.last = value;
}

/** A bucket that begins with an hour whose readings were dropped. */
export function openSummarised(startUs: number, hour: SummarisedHour): OpenBucket {
  const { count, min, max, mean, last } = hour;
  const sum = { sum: mean * count, error: 0 };
  const scaledSum = { sum: mean * scale * count, error: 0 };
  return { startUs, count, sum, scaledSum, min, max, last, summary: { count, mean } };
}

/** Adds the next hour whose readings were dropped, in order of time. */
export function addSummarised(bucket: OpenBucket, { count, min, max, mean, last }: SummarisedHour): void {
  bucket.count += count;
  add(bucket.sum, mean * count);
  add(bucket.scaledSum, mean * scale * count);
  if (min < bucket.min) bucket.min = min;
  if (max > bucket.max) bucket.max = max;
  bucket.last = last;
}

/** The aggregates of a bucket once all of its readings are in it. */
export function closeBucket({ startUs, count, sum, scaledSum, min, max, last, summary }: OpenBucket): ReadingBucket {
  if (summary?.count === count) return { atUs: startUs, count, avg: summary.mean, min, max, last };
  const mean = total(sum) / count;
  const avg = Number.isFinite(mean) ? mean : total(scaledSum) / count / scale;
  return { atUs: startUs, count, avg: Math.min(Math.max(avg, min), max), min, max, last };
}

function add(to: CompensatedSum, value: number): void {
  const next = to.sum + value;
  to.error += Math.abs(to.sum) > Math.abs(value) ? to.sum - next + value : value - next + to.sum;
  to.sum = next;
}

function total({ sum, error }: CompensatedSum): number {
  // Where the sum is infinite, its error is NaN.
  return Number.isFinite(error) ? sum + error : sum;
}
