import type { RangeCount, SeriesRange } from '../../../core/port/readings.ts';
import { firstHourOf } from '../../../core/readings/reads/summaries.ts';
import type { Connection } from '../../sqlite-file/driver.ts';
import type { StoredReadings } from './stored.ts';

/** Counts and deletes the readings and summaries in a range of a series; see the port. */
export function createErasure(connection: Connection, stored: StoredReadings) {
  const hourRange = 'series = ? and hour_us >= ? and hour_us < ?';
  const isInsideRange = 'first_at_us >= ? and last_at_us < ?';
  const countSummarised = connection
    .prepare<[number, number, number, number, number], number>(
      `select coalesce(sum(count), 0) from summaries where ${hourRange} and ${isInsideRange}`,
    )
    .pluck();
  const findSplitHour = connection
    .prepare<[number, number, number, number, number, number, number], number>(
      `select hour_us
       from summaries
       where ${hourRange}
         and first_at_us < ? and last_at_us >= ?
         and not (${isInsideRange})
       order by hour_us
       limit 1`,
    )
    .pluck();
  const removeSummaries = connection.prepare<[number, number, number, number, number]>(
    `delete from summaries where ${hourRange} and ${isInsideRange}`,
  );

  const countRange = ({ series, fromUs, toUs }: SeriesRange): RangeCount => {
    const hourUs = firstHourOf(fromUs);
    return {
      readings: stored.count(series, fromUs, toUs),
      summarised: countSummarised.get(series, hourUs, toUs, fromUs, toUs) ?? 0,
      splitHourUs: findSplitHour.get(series, hourUs, toUs, toUs, fromUs, fromUs, toUs) ?? null,
    };
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

      const { series, fromUs, toUs } = range;
      // Last: readings that were dropped meanwhile are in a summary by now.
      removeSummaries.run(series, firstHourOf(fromUs), toUs, fromUs, toUs);
    },
  };
}
