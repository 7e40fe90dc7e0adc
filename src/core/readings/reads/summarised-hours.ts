import { summaryWidthUs } from '../../port/readings.ts';
import { bucketStart, type SummarisedHour } from './buckets.ts';
import { endOfTimeUs, type SliceRequest, within } from './slice-request.ts';

/** A summary, the hour that it is of, and the last instant that it counts. */
export interface HourRow extends SummarisedHour {
  hourUs: number;
  lastAtUs: number;
}

/** The most summaries that a slice counts: some milliseconds. */
export const hoursInSlice = 5000;

/** The summaries that an engine has to read for a slice: those whose readings all lie in the range. No other can be divided. */
interface HourRange {
  series: number;
  /** The first hour, inclusive. */
  firstHourUs: number;
  /** Inclusive. */
  fromUs: number;
  /** Exclusive. */
  toUs: number;
  /** One more than the slice takes. */
  limit: number;
}

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

export function hoursOfSlice({ series, fromUs = -endOfTimeUs, toUs = endOfTimeUs }: SliceRequest): HourRange {
  const [firstHourUs, limit] = [firstHourOf(fromUs), hoursInSlice + 1];
  return { series, firstHourUs, fromUs: within(fromUs), toUs: within(toUs), limit };
}

/** The first hour whose summary can lie after an instant. */
export function firstHourOf(fromUs: number): number {
  return bucketStart(Math.max(within(fromUs), -endOfTimeUs + summaryWidthUs), summaryWidthUs);
}
