import type { SeriesRange } from '../../port/readings.ts';
import { indexAt, type SeriesReadings, type TimedReading } from '../series-readings.ts';
import { bucketStart } from './bucket-spans.ts';
import {
  dayUs,
  joinedQuarters,
  partOfQuarters,
  QuarterSums,
  type Quarters,
  quartersOf,
  quartersOutside,
  quarterUs,
} from './quarters.ts';
import type { SliceRequest } from './slices.ts';

/**
 * The sums of a series for a day of UTC: where they have a quarter of an hour, it stands for its readings. Retention leaves them, with
 * the instant of the last reading that it has dropped; otherwise the readings are there, too, and the sums have all of the day.
 */
export interface DaySums {
  dayUs: number;
  quarters: Quarters;
  droppedUs: number | null;
}

export type DroppedDay = DaySums & { droppedUs: number };

type Range = Pick<SeriesRange, 'fromUs' | 'toUs'>;
type ReadRange = (fromUs: number, toUs: number) => Iterable<SeriesReadings>;

/** The day of UTC that an instant lies in. */
export function dayOf(us: number): number {
  return bucketStart(us, dayUs);
}

/** The places of the quarters that lie in a range as a whole. */
function placesInside({ startUs, count }: Quarters, { fromUs, toUs }: Range) {
  const starts = { atUs: startUs, count };
  return { from: indexAt(starts, fromUs), to: indexAt(starts, toUs - quarterUs + 1) };
}

/** The readings of a range in order of time, and in place of those of whole quarters their sums, if there are any. */
export function* withSums(
  { fromUs, toUs }: Range,
  days: Iterable<DaySums>,
  read: ReadRange,
): Generator<SeriesReadings | Quarters> {
  let nextUs = fromUs;
  for (const day of days) {
    const { quarters } = day;
    const { from, to } = placesInside(quarters, { fromUs: nextUs, toUs });
    if (from >= to) continue;

    const firstUs = quarters.startUs[from] ?? 0;
    const endUs = (quarters.startUs[to - 1] ?? 0) + quarterUs;
    // Nothing is before the first quarter, or after the last one, of a day that still has all of its readings.
    const isWhole = day.droppedUs === null;
    const coveredFromUs = isWhole && nextUs <= day.dayUs ? day.dayUs : firstUs;
    if (nextUs < coveredFromUs) yield* read(nextUs, coveredFromUs);
    const covered = partOfQuarters(quarters, from, to);
    if (isWhole || isEmpty(read(firstUs, endUs))) yield covered;
    else yield* withLate(covered, read);
    nextUs = isWhole && day.dayUs + dayUs <= toUs ? day.dayUs + dayUs : endUs;
  }
  yield* read(nextUs, toUs);
}

/** Quarters, and the readings between them that have arrived since they were dropped. */
function* withLate(quarters: Quarters, read: ReadRange): Generator<SeriesReadings | Quarters> {
  let from = 0;
  for (let place = 1; place < quarters.count; place++) {
    const gapFromUs = (quarters.startUs[place - 1] ?? 0) + quarterUs;
    const gapToUs = quarters.startUs[place] ?? 0;
    if (gapFromUs === gapToUs) continue;
    yield partOfQuarters(quarters, from, place);
    yield* read(gapFromUs, gapToUs);
    from = place;
  }
  yield partOfQuarters(quarters, from, quarters.count);
}

function isEmpty(parts: Iterable<SeriesReadings>): boolean {
  for (const _ of parts) return false;
  return true;
}

/** Whether days have the sums of the quarter that an instant lies in, although its readings were dropped. */
export function isDropped(days: readonly DaySums[], us: number): boolean {
  const startUs = bucketStart(us, quarterUs);
  return days.some(
    ({ quarters, droppedUs }) =>
      droppedUs !== null && quarters.startUs.subarray(0, quarters.count).includes(startUs),
  );
}

/**
 * The start of a slice. If the quarter in which the slice before has ended was dropped since, its sums count readings twice.
 * The bucket is then read anew.
 */
export function resume(
  request: SliceRequest,
  hasDropped: HasDropped,
): Pick<SliceRequest, 'fromUs' | 'open'> {
  const { fromUs, open, beganUs, toUs } = request;
  const range = { fromUs: beganUs, toUs };
  if (!open || fromUs === undefined || fromUs % quarterUs === 0 || !isInside(fromUs, range))
    return { fromUs, open };
  if (!hasDropped(fromUs)) return { fromUs, open };
  return { fromUs: Math.max(open.startUs, beganUs ?? open.startUs), open: undefined };
}

/** Whether the quarter of an instant was dropped, of a series. */
type HasDropped = (us: number) => boolean;

/** The end of readings that were read up to a limit; null if they are all. Later readings of a dropped quarter do not count. */
export function endOfRead(
  { count, atUs }: SeriesReadings,
  range: Range & { limit: number },
  hasDropped: HasDropped,
): number | null {
  if (count < range.limit) return null;
  const lastUs = atUs[count - 1] ?? 0;
  if (!isInside(lastUs, range) || !hasDropped(lastUs)) return lastUs;
  return bucketStart(lastUs, quarterUs) + quarterUs;
}

/** Whether the quarter of an instant lies in a range as a whole. */
function isInside(us: number, { fromUs, toUs }: Partial<Range>): boolean {
  const startUs = bucketStart(us, quarterUs);
  const isBegun = fromUs === undefined || startUs >= fromUs;
  return isBegun && (toUs === undefined || startUs + quarterUs <= toUs);
}

/** The last reading of the dropped quarters that end by an instant; its own instant is known of the last one only. */
export function lastDropped(
  { quarters, droppedUs }: DroppedDay,
  beforeUs: number,
): TimedReading | undefined {
  const { to } = placesInside(quarters, { fromUs: Number.NEGATIVE_INFINITY, toUs: beforeUs });
  if (to === 0) return undefined;
  const endUs = (quarters.startUs[to - 1] ?? 0) + quarterUs;
  return { atUs: Math.min(droppedUs, endUs - 1), value: quarters.lasts[to - 1] ?? 0 };
}

/** The starts of the newest quarters of a step of a search backward, in order of time; the days come newest first. */
export function newestStarts(
  days: Iterable<DaySums>,
  range: Range & { beforeUs: number; limit: number },
): Float64Array {
  const starts: number[] = [];
  for (const { quarters } of days) {
    const { from, to } = placesInside(quarters, range);
    for (let place = to - 1; place >= from && starts.length < range.limit; place--) {
      const startUs = quarters.startUs[place] ?? 0;
      if (startUs < range.beforeUs) starts.push(startUs);
    }
    if (starts.length === range.limit) break;
  }
  return Float64Array.from(starts.reverse());
}

/** Sums up readings, given in order of time, day by day: as many as wanted, and those up to the end of their quarter. */
export function sumUpDays(
  parts: Iterable<SeriesReadings>,
  wanted = Number.POSITIVE_INFINITY,
): { days: DroppedDay[]; count: number; nextUs: number | null } {
  const days: DroppedDay[] = [];
  let sums = new QuarterSums();
  let lastUs: number | undefined;
  let count = 0;
  const endDay = () => {
    if (lastUs === undefined) return;
    days.push({ dayUs: dayOf(lastUs), quarters: sums.end(), droppedUs: lastUs });
    sums = new QuarterSums();
  };

  for (const readings of parts) {
    for (const { startUs, from, to } of quartersOf(readings)) {
      if (count >= wanted && lastUs !== undefined && lastUs < startUs) {
        endDay();
        return { days, count, nextUs: startUs };
      }
      if (lastUs !== undefined && dayOf(lastUs) < dayOf(startUs)) endDay();
      sums.add(readings, from, to);
      count += to - from;
      lastUs = readings.atUs[to - 1] ?? startUs;
    }
  }
  endDay();
  return { days, count, nextUs: null };
}

/** Adds what was dropped now; of a quarter that was dropped before, more readings do not count: they may be the same again. */
export function joinedDay(earlier: DroppedDay | undefined, added: DroppedDay): DroppedDay {
  if (!earlier) return added;
  return {
    dayUs: added.dayUs,
    quarters: joinedQuarters(earlier.quarters, added.quarters),
    droppedUs: Math.max(earlier.droppedUs, added.droppedUs),
  };
}

/** How many dropped readings an erasure takes out, and the first quarter of which it would take a part only. */
export function countDropped(
  days: Iterable<DaySums>,
  range: Range,
): { summarised: number; splitQuarterUs: number | null } {
  let summarised = 0;
  let splitQuarterUs: number | null = null;
  for (const { quarters } of days) {
    for (let place = 0; place < quarters.count; place++) {
      const startUs = quarters.startUs[place] ?? 0;
      const endUs = startUs + quarterUs;
      if (endUs <= range.fromUs || startUs >= range.toUs) continue;
      const isInside = startUs >= range.fromUs && endUs <= range.toUs;
      if (isInside) summarised += quarters.counts[place] ?? 0;
      else splitQuarterUs ??= startUs;
    }
  }
  return { summarised, splitQuarterUs };
}

/** The rest of a day without the quarters that lie in a range as a whole; undefined if nothing is left. */
export function withoutRange(day: DroppedDay, range: Range): DroppedDay | undefined {
  const { from, to } = placesInside(day.quarters, range);
  if (from >= to) return day;
  const rest = { ...day, quarters: quartersOutside(day.quarters, from, to) };
  const last = lastDropped(rest, Number.POSITIVE_INFINITY);
  return last && { ...rest, droppedUs: last.atUs };
}
