import { summaryWidthUs } from '../../port/readings.ts';
import {
  addSummarised,
  addToBucket,
  bucketStart,
  closeBucket,
  type OpenBucket,
  openBucket,
  openSummarised,
} from './buckets.ts';

/** The summary of the readings of an hour. */
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

/** A reading without its quality. */
export type TimedValue = readonly [atUs: number, value: number];

/** Sums readings up by the hour; they come in order of time. */
export function summarise(rows: readonly TimedValue[]): Summary[] {
  const found: Summary[] = [];
  let open: { bucket: OpenBucket; first: number; firstAtUs: number; lastAtUs: number } | undefined;
  const close = () => {
    if (!open) return;
    const { bucket, first, firstAtUs, lastAtUs } = open;
    found.push({ ...toSummary(bucket), first, firstAtUs, lastAtUs });
  };
  for (const [atUs, value] of rows) {
    const hourUs = bucketStart(atUs, summaryWidthUs);
    if (open?.bucket.startUs === hourUs) {
      addToBucket(open.bucket, value);
      open.lastAtUs = atUs;
      continue;
    }
    close();
    open = { bucket: openBucket(hourUs, value), first: value, firstAtUs: atUs, lastAtUs: atUs };
  }
  close();
  return found;
}

/** The summary of an hour that was summed up in two parts. */
export function joined(before: Summary, later: Summary): Summary {
  const bucket = openSummarised(before.hourUs, before);
  addSummarised(bucket, later);
  return { ...toSummary(bucket), first: before.first, firstAtUs: before.firstAtUs, lastAtUs: later.lastAtUs };
}

function toSummary(bucket: OpenBucket): Omit<Summary, 'first' | 'firstAtUs' | 'lastAtUs'> {
  const { atUs: hourUs, count = 0, min = 0, max = 0, avg: mean = 0, last = 0 } = closeBucket(bucket);
  return { hourUs, count, min, max, mean, last };
}
