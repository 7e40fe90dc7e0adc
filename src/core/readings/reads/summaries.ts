import { type BucketSpan, summaryWidthUs } from '../../port/readings.ts';
import { isTimezone } from '../../time/calendar.ts';
import { type Columns, placeOf } from '../columns.ts';
import { type BucketTime, bucketStart, bucketTime } from './bucket-spans.ts';
import { addSummarised, closeBucket, openBucket, type SummarisedHour } from './buckets.ts';
import { addByQuarters, endQuarter } from './quarters.ts';
import { endOfTimeUs, type SliceRequest, within } from './slice-request.ts';

export interface Summary extends SummarisedHour {
  /** Where its time begins: an hour, or midnight in the zone of the entity. */
  hourUs: number;
  first: number;
  firstAtUs: number;
  lastAtUs: number;
}

/** A summary, without what no bucket needs. */
export type HourRow = Omit<Summary, 'first' | 'firstAtUs'>;

/** The part of an hour that one summary counts: all of it, or up to or from midnight in the zone of the entity. */
interface HourPart extends BucketTime {
  /** The hour itself, a multiple of {@link summaryWidthUs}. */
  hourUs: number;
}

/** The part of an hour that an instant lies in. Only in zones that are ahead by a part of an hour is it not all of it. */
function hourPartOf(atUs: number, timezone: string): HourPart {
  const hourUs = bucketStart(atUs, summaryWidthUs);
  const nextHourUs = hourUs + summaryWidthUs;
  const midnightUs = bucketTime({ days: 1, firstDay: 0, timezone }, nextHourUs - 1).startUs;
  if (midnightUs <= hourUs) return { hourUs, startUs: hourUs, endUs: nextHourUs };
  return atUs < midnightUs
    ? { hourUs, startUs: hourUs, endUs: midnightUs }
    : { hourUs, startUs: midnightUs, endUs: nextHourUs };
}

/** The parts of columns that one summary counts each, in order of time; a zone that is unknown here is UTC. */
export function* hourPartsOf(columns: Pick<Columns, 'atUs' | 'count'>, zone: string) {
  const timezone = isTimezone(zone) ? zone : 'UTC';
  for (let from = 0; from < columns.count; ) {
    const part = hourPartOf(columns.atUs[from] ?? 0, timezone);
    const to = placeOf(columns, part.endUs);
    yield { ...part, from, to };
    from = to;
  }
}

/**
 * The summaries that take the place of readings; `known` has those that begin in an hour already, in order of time. An hour with many
 * readings is summed up in parts. Readings up to the last one that a summary of their hour counts arrived after it, and may be
 * the same again: they are not counted.
 */
export function summarised(
  columns: Columns,
  timezone: string,
  summariesOfHour: (hourUs: number) => readonly Summary[],
): Summary[] {
  const { atUs, values } = columns;
  const summaries: Summary[] = [];
  for (const { hourUs, startUs, endUs, from, to } of hourPartsOf(columns, timezone)) {
    const earlier = summariesOfHour(hourUs).filter((summary) => summary.hourUs < endUs);
    const countedUs = Math.max(...earlier.map(({ lastAtUs }) => lastAtUs));
    const start = Math.max(from, placeOf(columns, countedUs + 1));
    if (start >= to) continue;
    // The entity may have had another zone, in which the day began at another minute: the latest one goes on.
    const before = earlier.findLast((summary) => summary.hourUs >= startUs);
    const bucket = openBucket({ startUs, endUs });
    if (before) addSummarised(bucket, before);
    addByQuarters(bucket, columns, start, to);
    endQuarter(bucket);
    const { count, min, max, avg: mean, last } = closeBucket(bucket);
    const { first = values[start] ?? 0, firstAtUs = atUs[start] ?? 0 } = before ?? {};
    summaries.push({
      hourUs: before?.hourUs ?? startUs,
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
