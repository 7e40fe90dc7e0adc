import { type BucketRequest, summaryWidthUs } from '../../../../core/port/readings.ts';
import type { Connection } from '../../connection/driver.ts';
import { bucketStart, type OpenBucket, type SummarisedHour } from './buckets.ts';

export type ReadingRow = [atUs: number, value: number, quality: number];
type HourItem = [hourUs: number, hour: SummarisedHour];

/** Readings and summarised hours of a slice in order of time, and the instant of the first one after them. */
export interface BucketItems {
  items: readonly (ReadingRow | HourItem)[];
  nextUs: number | null;
}

/** The part of a slice's request that matters here. */
interface HoursRequest {
  series: number;
  fromUs?: number;
  toUs?: number;
  /** Maximum number of items of each kind. */
  most: number;
  /** The incomplete bucket at the end of the slice before. */
  open?: OpenBucket;
  /** Where the first slice of this read began; undefined for the beginning. */
  beganUs?: number;
  /** The latest instant of the series that was dropped, as the slice before saw it. */
  summarisedUs?: number | null;
}

interface HourRow extends SummarisedHour {
  hourUs: number;
}

type ReadRows = (request: HoursRequest, wanted: number) => { rows: ReadingRow[]; nextUs: number | null };

/**
 * Reads the hours whose readings were dropped beside those that are still there. An hour may be both for a moment, since
 * readings are dropped in order of time: its summary then comes first.
 */
export function createSummaryReader(connection: Connection) {
  const newest = connection
    .prepare<[number], number>('select last_at_us from summaries where series = ? order by hour_us desc limit 1')
    .pluck();
  // Only hours all of whose readings lie in the range: of the others nobody can say which part does.
  const hoursOf = connection.prepare<[number, number, number, number, number, number], HourRow>(
    `select hour_us as hourUs, count, min, max, mean, last from summaries
     where series = ? and hour_us >= ? and hour_us < ? and first_at_us >= ? and last_at_us < ? order by hour_us limit ?`,
  );

  return {
    /** Whether summaries can answer a request: each bucket holds whole hours. */
    answers: ({ widthUs }: BucketRequest) => widthUs % summaryWidthUs === 0,

    /** The items of a slice, and the incomplete bucket with which to continue. To be called in one transaction. */
    read(request: HoursRequest, readRows: ReadRows): BucketItems & Pick<HoursRequest, 'open' | 'summarisedUs'> {
      const summarisedUs = newest.get(request.series) ?? null;
      if (summarisedUs === null) {
        const { rows, nextUs } = readRows(request, request.most);
        return { items: rows, nextUs, open: request.open, summarisedUs };
      }
      const { fromUs, open } = resume(request, summarisedUs);
      const { rows, nextUs: nextRowUs } = readRows({ ...request, fromUs }, request.most);
      const { series, toUs, most } = request;
      const [from, to] = [fromUs ?? -Number.MAX_SAFE_INTEGER, toUs ?? Number.MAX_SAFE_INTEGER];
      const firstHour = bucketStart(Math.max(from, -Number.MAX_SAFE_INTEGER + summaryWidthUs), summaryWidthUs);
      const hours = hoursOf.all(series, firstHour, to, from, to, most + 1);
      const nextHourUs = hours[most]?.hourUs ?? null;
      const nextUs = earlier(nextRowUs, nextHourUs);
      return { items: [...inOrder(hours.slice(0, most), rows, nextUs)], nextUs, open, summarisedUs };
    },
  };
}

/**
 * Where a slice begins. When readings were dropped since the slice before from an hour that it has read in part, the summary
 * of that hour counts them once more: the bucket is then read anew.
 */
function resume(
  { fromUs, open, beganUs, summarisedUs: before }: HoursRequest,
  summarisedUs: number,
): Pick<HoursRequest, 'fromUs' | 'open'> {
  if (!open || fromUs === undefined || summarisedUs < fromUs) return { fromUs, open };
  if (before !== undefined && before !== null && before >= fromUs) return { fromUs, open };
  return { fromUs: Math.max(open.startUs, beganUs ?? open.startUs), open: undefined };
}

function* inOrder(
  hours: readonly HourRow[],
  rows: readonly ReadingRow[],
  untilUs: number | null,
): Generator<ReadingRow | HourItem> {
  const end = untilUs ?? Number.POSITIVE_INFINITY;
  let next = 0;
  for (const { hourUs, ...hour } of hours) {
    for (let row = rows[next]; row && row[0] < hourUs && row[0] < end; row = rows[next]) {
      yield row;
      next++;
    }
    if (hourUs >= end) return;
    yield [hourUs, hour];
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
