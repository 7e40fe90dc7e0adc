import { summaryWidthUs } from '../../port/readings.ts';
import { bucketStart } from './buckets.ts';
import { endOfTimeUs, type SliceRequest, within } from './slice-request.ts';
import type { Summary } from './summaries.ts';

/** A summary, without what no bucket needs. */
export type HourRow = Omit<Summary, 'first' | 'firstAtUs'>;

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

/**
 * The summaries that an engine has to read for a slice, from the first hour (inclusive) on: those whose readings all lie in the
 * range, as no other can be divided, and one more than the slice takes.
 */
export function hoursOfSlice({ series, fromUs = -endOfTimeUs, toUs = endOfTimeUs }: SliceRequest) {
  const [firstHourUs, limit] = [firstHourOf(fromUs), hoursInSlice + 1];
  return { series, firstHourUs, fromUs: within(fromUs), toUs: within(toUs), limit };
}

/** The first hour whose summary can lie after an instant. */
export function firstHourOf(fromUs: number): number {
  return bucketStart(Math.max(within(fromUs), -endOfTimeUs + summaryWidthUs), summaryWidthUs);
}
