import { summaryWidthUs } from '../../port/readings.ts';
import { addSummarised, addToBucket, bucketStart, closeBucket, type OpenBucket, openBucket } from './buckets.ts';

export interface Summary {
  hourUs: number;
  count: number;
  min: number;
  max: number;
  mean: number;
  first: number;
  last: number;
  firstAtUs: number;
  lastAtUs: number;
}

export type TimedValue = readonly [atUs: number, value: number, quality?: number];

export function hoursOf(rows: readonly TimedValue[]): number[] {
  return [...new Set(rows.map(([atUs]) => bucketStart(atUs, summaryWidthUs)))];
}

/**
 * The summaries that take the place of readings, which come in order of time; `known` has those that their hours have already.
 * An hour with many readings is summed up in parts. Readings up to the last one that its summary counts arrived after it, and
 * may be the same again: they are not counted.
 */
export function summarised(rows: readonly TimedValue[], known: ReadonlyMap<number, Summary>): Summary[] {
  const isLater = ([atUs]: TimedValue) => {
    const before = known.get(bucketStart(atUs, summaryWidthUs));
    return before === undefined || atUs > before.lastAtUs;
  };
  return summarise(rows.filter(isLater)).map((later) => {
    const before = known.get(later.hourUs);
    return before ? joined(before, later) : later;
  });
}

function summarise(rows: readonly TimedValue[]): Summary[] {
  const found: Summary[] = [];
  let open: { bucket: OpenBucket; first: number; firstAtUs: number; lastAtUs: number } | undefined;
  const close = () => {
    if (!open) return;
    const { bucket, first, firstAtUs, lastAtUs } = open;
    found.push({ ...toSummary(bucket), first, firstAtUs, lastAtUs });
  };
  for (const [atUs, value] of rows) {
    const hourUs = bucketStart(atUs, summaryWidthUs);
    if (open?.bucket.startUs !== hourUs) {
      close();
      open = { bucket: openBucket(hourUs), first: value, firstAtUs: atUs, lastAtUs: atUs };
    }
    addToBucket(open.bucket, [value]);
    open.lastAtUs = atUs;
  }
  close();
  return found;
}

function joined(before: Summary, later: Summary): Summary {
  const bucket = openBucket(before.hourUs);
  addSummarised(bucket, before);
  addSummarised(bucket, later);
  return { ...toSummary(bucket), first: before.first, firstAtUs: before.firstAtUs, lastAtUs: later.lastAtUs };
}

function toSummary(bucket: OpenBucket): Omit<Summary, 'first' | 'firstAtUs' | 'lastAtUs'> {
  const { atUs: hourUs, count, min, max, avg: mean, last } = closeBucket(bucket);
  return { hourUs, count, min, max, mean, last };
}
