import { type BucketSpan, summaryWidthUs } from '../../port/readings.ts';
import { isTimezone } from '../../time/calendar.ts';
import { type Columns, placeOf } from '../columns.ts';
import { type BucketTime, bucketStart, bucketTime } from './bucket-spans.ts';
import {
  addSummarised,
  closeBucket,
  fallenOf,
  openBucket,
  type SummarisedHour,
} from './buckets.ts';
import { addByQuarters, endQuarter } from './quarters.ts';
import { endOfTimeUs, type SliceRequest, within } from './slice-request.ts';

export interface Summary extends SummarisedHour {
  /** The begin of its time: an hour, or midnight in the zone of the entity. */
  hourUs: number;
  firstAtUs: number;
  lastAtUs: number;
}

/** A summary without the fields that no bucket needs. */
export type HourRow = Omit<Summary, 'firstAtUs'>;

/** The part of an hour that one summary counts: all of it, or up to or from midnight in the zone of the entity. */
interface HourPart extends BucketTime {
  /** The hour itself, a multiple of {@link summaryWidthUs}. */
  hourUs: number;
}

/** The part of an hour that an instant lies in. Only in zones that are ahead by a part of an hour is it not all of it. */
function hourPartOf(atUs: number, timezone: string): HourPart {
  const hourUs = bucketStart(atUs, summaryWidthUs);
  const nextHourUs = hourUs + summaryWidthUs;
  const lastDay = bucketTime({ days: 1, firstDay: 0, timezone }, nextHourUs - 1);
  const midnightUs = lastDay.startUs;
  if (midnightUs <= hourUs) {
    return { hourUs, startUs: hourUs, endUs: nextHourUs };
  }
  return atUs < midnightUs
    ? { hourUs, startUs: hourUs, endUs: midnightUs }
    : { hourUs, startUs: midnightUs, endUs: nextHourUs };
}

/** The parts of columns that one summary counts each, in order of time; a zone that is unknown here is UTC. */
export function* hourPartsOf(columns: Pick<Columns, 'atUs' | 'count'>, zoneName: string) {
  const timezone = isTimezone(zoneName) ? zoneName : 'UTC';
  for (let from = 0; from < columns.count; ) {
    const hourPart = hourPartOf(columns.atUs[from] ?? 0, timezone);
    const to = placeOf(columns, hourPart.endUs);
    yield { ...hourPart, from, to };
    from = to;
  }
}

/**
 * The summaries that take the place of readings; `summariesOfHour` has the earlier ones that begin in an hour, in order of time. An
 * hour with many readings is summed up in parts. Readings up to the last one that a summary of their hour counts arrived after
 * it, and may be the same again: they are not counted.
 */
export function summarised(
  columns: Columns,
  timezone: string,
  summariesOfHour: (hourUs: number) => readonly Summary[],
): Summary[] {
  const { atUs } = columns;
  const summaries: Summary[] = [];
  for (const { hourUs, startUs, endUs, from, to } of hourPartsOf(columns, timezone)) {
    const earlierSummaries = summariesOfHour(hourUs).filter((summary) => summary.hourUs < endUs);
    const countedUs = Math.max(...earlierSummaries.map(({ lastAtUs }) => lastAtUs));
    const uncountedFrom = Math.max(from, placeOf(columns, countedUs + 1));
    if (uncountedFrom >= to) continue;

    // The entity may have had another zone, in which the day began at another minute: the latest one goes on.
    const latestSummary = earlierSummaries.findLast((summary) => summary.hourUs >= startUs);
    const bucket = openBucket({ startUs, endUs });
    if (latestSummary) addSummarised(bucket, latestSummary);
    addByQuarters(bucket, columns, uncountedFrom, to, true);
    endQuarter(bucket);

    const { count, min, max, avg: mean, first, last } = closeBucket(bucket);
    const { firstAtUs = atUs[uncountedFrom] ?? 0 } = latestSummary ?? {};

    summaries.push({
      hourUs: latestSummary?.hourUs ?? startUs,
      count,
      min,
      max,
      mean,
      first,
      last,
      fallen: fallenOf(bucket),
      firstAtUs,
      lastAtUs: atUs[to - 1] ?? 0,
    });
  }
  return summaries;
}

/** The most summaries that a slice counts: some milliseconds. */
export const hoursInSlice = 5000;

/** Whether summaries can answer a request: each bucket holds whole hours, or whole days, which summaries do not span. */
export function usesSummaries({ buckets }: { buckets?: BucketSpan }): boolean {
  if (buckets === undefined) return false;
  if (!('widthUs' in buckets)) return true;
  const { widthUs, originUs = 0 } = buckets;
  return widthUs % summaryWidthUs === 0 && originUs % summaryWidthUs === 0;
}

/**
 * The start of a slice. If readings of an hour were dropped after an earlier slice read a part of it, the summary of that
 * hour counts them once more: the bucket is then read anew. `summarisedUs` is the latest instant that was dropped.
 */
export function resume(
  { fromUs, open, beganUs, summarisedUs: previousUs }: SliceRequest,
  summarisedUs: number,
): Pick<SliceRequest, 'fromUs' | 'open'> {
  if (!open || fromUs === undefined || summarisedUs < fromUs) {
    return { fromUs, open };
  }
  const wasDroppedBefore = previousUs !== undefined && previousUs !== null && previousUs >= fromUs;
  if (wasDroppedBefore) return { fromUs, open };

  const bucketFromUs = Math.max(open.startUs, beganUs ?? open.startUs);
  return { fromUs: bucketFromUs, open: undefined };
}

/** The summaries of a slice: those whose readings all lie in its range, and one more than it takes. */
export function hoursOfSlice(request: SliceRequest) {
  const { series, fromUs = -endOfTimeUs, toUs = endOfTimeUs } = request;
  return {
    series,
    firstHourUs: firstHourOf(fromUs),
    fromUs: within(fromUs),
    toUs: within(toUs),
    limit: hoursInSlice + 1,
  };
}

/** The first hour whose summary can lie after an instant. */
export function firstHourOf(fromUs: number): number {
  const earliestUs = Math.max(within(fromUs), -endOfTimeUs + summaryWidthUs);
  return bucketStart(earliestUs, summaryWidthUs);
}
