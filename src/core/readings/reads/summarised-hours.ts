import { summaryWidthUs } from '../../port/readings.ts';
import { bucketStart, type SummarisedHour } from './buckets.ts';
import { endOfTimeUs, type SliceRequest, type SliceRow, within } from './slice-request.ts';

/** A summary, the hour that it is of, and the last instant that it counts. */
export interface HourRow extends SummarisedHour {
  hourUs: number;
  lastAtUs: number;
}

/** Readings and summarised hours of a slice in order of time, and the instant of the first one after them. */
export interface BucketItems {
  items: readonly (SliceRow | [hourUs: number, hour: SummarisedHour])[];
  nextUs: number | null;
}

/** The summaries that an engine has to read for a slice: those whose readings all lie in the range. No other can be divided. */
interface HourRange {
  series: number;
  /** The first hour, inclusive. */
  firstHourUs: number;
  /** Inclusive. */
  fromUs: number;
  /** Exclusive. */
  toUs: number;
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

/** The summaries to read for a slice. */
export function hoursOfSlice({ series, fromUs = -endOfTimeUs, toUs = endOfTimeUs, most }: SliceRequest): HourRange {
  return { series, firstHourUs: firstHourOf(fromUs), fromUs: within(fromUs), toUs: within(toUs), limit: most + 1 };
}

/** The first hour whose summary can lie after an instant. */
export function firstHourOf(fromUs: number): number {
  return bucketStart(Math.max(within(fromUs), -endOfTimeUs + summaryWidthUs), summaryWidthUs);
}

/**
 * The items of a slice of at most `most` of each kind. Of an hour with a summary, readings up to the last one that it counts
 * arrived after it and are left out: it may count them already.
 */
export function inOrderOfTime(rows: readonly SliceRow[], hours: readonly HourRow[], most: number): BucketItems {
  const kept = hours.slice(0, most);
  const nextUs = earlier(notCounted(rows[most]?.[0] ?? null, kept), hours[most]?.hourUs ?? null);
  return { items: [...merged(rows.slice(0, most), kept, nextUs)], nextUs };
}

/** An instant, or the one right after what the summary of its hour counts. */
function notCounted(atUs: number | null, hours: readonly HourRow[]): number | null {
  const hour = atUs === null ? undefined : hours.find(({ hourUs, lastAtUs }) => hourUs <= atUs && atUs <= lastAtUs);
  return hour ? hour.lastAtUs + 1 : atUs;
}

function* merged(rows: readonly SliceRow[], hours: readonly HourRow[], untilUs: number | null) {
  const end = untilUs ?? Number.POSITIVE_INFINITY;
  let next = 0;
  for (const { hourUs, lastAtUs, ...hour } of hours) {
    for (let row = rows[next]; row && row[0] < hourUs && row[0] < end; row = rows[next]) {
      yield row;
      next++;
    }
    if (hourUs >= end) return;
    yield [hourUs, hour] satisfies BucketItems['items'][number];
    for (let row = rows[next]; row && row[0] <= lastAtUs; row = rows[next]) next++;
  }
  for (let row = rows[next]; row && row[0] < end; row = rows[next]) {
    yield row;
    next++;
  }
}

function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
