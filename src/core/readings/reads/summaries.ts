import { summaryWidthUs } from '../../port/readings.ts';
import { type Columns, placeOf } from '../columns.ts';
import {
  addSummarised,
  addToBucket,
  bucketStart,
  closeBucket,
  openBucket,
  type SummarisedHour,
} from './buckets.ts';
import { endOfTimeUs, type SliceRequest, within } from './slice-request.ts';

export interface Summary extends SummarisedHour {
  hourUs: number;
  first: number;
  firstAtUs: number;
  lastAtUs: number;
}

/** A summary, without what no bucket needs. */
export type HourRow = Omit<Summary, 'first' | 'firstAtUs'>;

/** The parts of columns that lie in one hour each, in order of time. */
export function* hoursOf(columns: Pick<Columns, 'atUs' | 'count'>) {
  for (let from = 0; from < columns.count; ) {
    const hourUs = bucketStart(columns.atUs[from] ?? 0, summaryWidthUs);
    const to = placeOf(columns, hourUs + summaryWidthUs);
    yield { hourUs, from, to };
    from = to;
  }
}

/**
 * The summaries that take the place of readings; `known` has those that their hours have already. An hour with many readings is
 * summed up in parts. Readings up to the last one that its summary counts arrived after it, and may be the same again: they are
 * not counted.
 */
export function summarised(
  columns: Columns,
  known: (hourUs: number) => Summary | undefined,
): Summary[] {
  const { atUs, values } = columns;
  const found: Summary[] = [];
  for (const { hourUs, from, to } of hoursOf(columns)) {
    const before = known(hourUs);
    const start = before ? Math.max(from, placeOf(columns, before.lastAtUs + 1)) : from;
    if (start >= to) continue;
    const bucket = openBucket(hourUs);
    if (before) addSummarised(bucket, before);
    addToBucket(bucket, values, start, to);
    const { count, min, max, avg: mean, last } = closeBucket(bucket);
    const { first = values[start] ?? 0, firstAtUs = atUs[start] ?? 0 } = before ?? {};
    found.push({
      hourUs,
      count,
      min,
      max,
      mean,
      first,
      last,
      firstAtUs,
      lastAtUs: atUs[to - 1] ?? 0,
    });
  }
  return found;
}

/** The most summaries that a slice counts: some milliseconds. */
export const hoursInSlice = 5000;

/** Whether summaries can answer a request: each bucket holds whole hours. */
export function usesSummaries({ buckets }: Pick<SliceRequest, 'buckets'>): boolean {
  return buckets !== undefined && buckets.widthUs % summaryWidthUs === 0;
}

/**
 * Where a slice begins. When readings were dropped since the slice before from an hour that it has read in part, the summary
 * of that hour counts them once more: the bucket is then read anew. `summarisedUs` is the latest instant that was dropped.
 */
export function resume(
  { fromUs, open, beganUs, summarisedUs: before }: SliceRequest,
  summarisedUs: number,
): Pick<SliceRequest, 'fromUs' | 'open'> {
  if (!open || fromUs === undefined || summarisedUs < fromUs) return { fromUs, open };
  if (before !== undefined && before !== null && before >= fromUs) return { fromUs, open };
  return { fromUs: Math.max(open.startUs, beganUs ?? open.startUs), open: undefined };
}

/** The summaries of a slice: those whose readings all lie in its range, and one more than it takes. */
export function hoursOfSlice({ series, fromUs = -endOfTimeUs, toUs = endOfTimeUs }: SliceRequest) {
  const [firstHourUs, limit] = [firstHourOf(fromUs), hoursInSlice + 1];
  return { series, firstHourUs, fromUs: within(fromUs), toUs: within(toUs), limit };
}

/** The first hour whose summary can lie after an instant. */
export function firstHourOf(fromUs: number): number {
  return bucketStart(Math.max(within(fromUs), -endOfTimeUs + summaryWidthUs), summaryWidthUs);
}
