import type { RangeCount, SeriesRange } from '../../../core/port/readings.ts';
import { firstHourOf } from '../../../core/readings/reads/summarised-hours.ts';
import type { Lane } from '../connection/lane.ts';
import { entityOfSeries, numberOfSeries } from './series-numbers.ts';

/** Readings deleted in one statement: none may take so long that the connection seems dead. */
const readingsAtOnce = 20_000;

const ofReadings = 'entity = $1 and series = $2 and at_us >= $3 and at_us < $4';
const ofHours = 'entity = $1 and series = $2 and hour_us >= $5 and hour_us < $4';
const isInside = 'first_at_us >= $3 and last_at_us < $4';

const countSql = `select (select count(*) from readings where ${ofReadings}) as readings,
  (select coalesce(sum(count), 0)::int8 from summaries where ${ofHours} and ${isInside}) as summarised,
  (select hour_us from summaries where ${ofHours} and first_at_us < $4 and last_at_us >= $3 and not (${isInside})
    order by hour_us limit 1) as "splitHourUs"`;

/** Counts what a range of a series holds; see the port. */
export async function countRange(lane: Lane, range: SeriesRange): Promise<RangeCount> {
  const [count] = await lane.query<RangeCount>(countSql, [...valuesOf(range), firstHourOf(range.fromUs)]);
  if (!count) throw new Error('the counts are missing');
  return count;
}

/** Deletes what a range of a series holds; see the port. */
export async function erase(lane: Lane, range: SeriesRange): Promise<void> {
  const piece = `with gone as (delete from readings where ${ofReadings} and at_us <= coalesce((
      select at_us from readings where ${ofReadings} order by at_us limit 1 offset ${readingsAtOnce - 1}), $4) returning 1)
    select count(*) as n from gone`;
  for (let isMore = true; isMore; ) {
    const [gone] = await lane.query<{ n: number }>(piece, valuesOf(range));
    isMore = (gone?.n ?? 0) >= readingsAtOnce;
  }
  // Last: what is dropped meanwhile is in a summary by now.
  await lane.query(`delete from summaries where ${ofHours} and ${isInside}`, [
    ...valuesOf(range),
    firstHourOf(range.fromUs),
  ]);
}

function valuesOf({ series, fromUs, toUs }: SeriesRange): number[] {
  return [entityOfSeries(series), numberOfSeries(series), fromUs, toUs];
}
