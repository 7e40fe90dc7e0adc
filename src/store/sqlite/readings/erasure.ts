import type { RangeCount, SeriesRange } from '../../../core/port/readings.ts';
import { countDropped, withoutRange } from '../../../core/readings/reads/day-sums.ts';
import type { StoredReadings } from './stored.ts';

/** Counts and deletes the readings and the sums of dropped ones in a range of a series; see the port. */
export function createErasure(stored: StoredReadings) {
  const droppedIn = ({ series, fromUs, toUs }: SeriesRange) =>
    stored.chunks.days?.dropped(series, fromUs, toUs) ?? [];

  const countRange = (range: SeriesRange): RangeCount => ({
    readings: stored.count(range.series, range.fromUs, range.toUs),
    ...countDropped(droppedIn(range), range),
  });

  const eraseDropped = (range: SeriesRange) => {
    for (const day of droppedIn(range)) {
      const rest = withoutRange(day, range);
      if (rest) stored.chunks.days?.putDropped(range.series, rest);
      else stored.chunks.days?.removeDropped(range.series, day.dayUs);
    }
  };

  /** Removes the first part of a range, and returns the start of the remaining one; undefined once nothing is left. */
  const eraseStep = ({ series, fromUs, toUs }: SeriesRange): number | undefined => {
    const stepEndUs = stored.chunks.stepEnd(series, fromUs, toUs);
    stored.remove([{ series, fromUs, toUs: stepEndUs ?? toUs }]);
    return stepEndUs;
  };

  return {
    count: (range: SeriesRange): RangeCount => stored.reading(() => countRange(range)),
    /** In steps, so that ingest can commit in between. */
    erase(range: SeriesRange): void {
      let nextUs: number | undefined = range.fromUs;
      while (nextUs !== undefined) {
        const remainingRange: SeriesRange = { ...range, fromUs: nextUs };
        nextUs = stored.writing(() => eraseStep(remainingRange));
      }

      // Last: readings that were dropped meanwhile are in the sums by now.
      stored.writing(() => eraseDropped(range));
    },
  };
}
