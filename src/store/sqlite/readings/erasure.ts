import type { RangeCount, SeriesRange } from '../../../core/port/readings.ts';
import { firstHourOf } from '../../../core/readings/reads/summarised-hours.ts';
import type { Connection } from '../connection/driver.ts';

/** Readings deleted in one transaction, so that ingest can commit in between. */
const readingsAtOnce = 20_000;

/** Counts and deletes what a range of a series holds; see the port. */
export function createErasure(connection: Connection) {
  const countReadings = connection
    .prepare<[number, number, number], number>(
      'select count(*) from readings where series = ? and at_us >= ? and at_us < ?',
    )
    .pluck();
  const ofHours = 'series = ? and hour_us >= ? and hour_us < ?';
  const isInside = 'first_at_us >= ? and last_at_us < ?';
  const countSummarised = connection
    .prepare<[number, number, number, number, number], number>(
      `select coalesce(sum(count), 0) from summaries where ${ofHours} and ${isInside}`,
    )
    .pluck();
  const splitHour = connection
    .prepare<[number, number, number, number, number, number, number], number>(
      `select hour_us from summaries where ${ofHours} and first_at_us < ? and last_at_us >= ? and not (${isInside})
       order by hour_us limit 1`,
    )
    .pluck();
  const removeSummaries = connection.prepare<[number, number, number, number, number]>(
    `delete from summaries where ${ofHours} and ${isInside}`,
  );
  const pieceEnd = connection
    .prepare<[number, number, number], number>(
      `select at_us from readings where series = ? and at_us >= ? and at_us < ? order by at_us limit 1 offset ${readingsAtOnce}`,
    )
    .pluck();
  const removePiece = connection.prepare<[number, number, number]>(
    'delete from readings where series = ? and at_us >= ? and at_us < ?',
  );

  const count = ({ series, fromUs, toUs }: SeriesRange): RangeCount => {
    const hourUs = firstHourOf(fromUs);
    return {
      readings: countReadings.get(series, fromUs, toUs) ?? 0,
      summarised: countSummarised.get(series, hourUs, toUs, fromUs, toUs) ?? 0,
      splitHourUs: splitHour.get(series, hourUs, toUs, toUs, fromUs, fromUs, toUs) ?? null,
    };
  };
  return {
    count: (range: SeriesRange): RangeCount => connection.transaction(() => count(range))(),
    erase({ series, fromUs, toUs }: SeriesRange): void {
      for (let end = pieceEnd.get(series, fromUs, toUs); end !== undefined; end = pieceEnd.get(series, fromUs, toUs)) {
        removePiece.run(series, fromUs, end);
      }
      removePiece.run(series, fromUs, toUs);
      // Last: what is dropped meanwhile is in a summary by now.
      removeSummaries.run(series, firstHourOf(fromUs), toUs, fromUs, toUs);
    },
  };
}
