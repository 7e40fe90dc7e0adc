import { dayUs } from '../../../core/readings/reads/quarters.ts';
import { daySumsOfHours, type HourSummary } from '../../sqlite-file/chunks/hour-summaries.ts';
import type { PostgresSession } from '../connection/session.ts';

interface SummedDay {
  entity: number;
  series: number;
  dayUs: number;
  droppedUs: number;
  hours: HourSummary[];
}

const daysSql = `select entity, series, hour_us - (hour_us % ${dayUs} + ${dayUs}) % ${dayUs} as "dayUs", max(last_at_us) as "droppedUs",
    json_agg(json_build_object('hourUs', hour_us, 'count', count, 'min', min, 'max', max, 'mean', mean,
      'first', first, 'last', last, 'fallen', fallen, 'lastAtUs', last_at_us)) as hours
  from summaries group by 1, 2, 3`;
const daysAtOnce = 1000;

/** Makes sums of days of the hourly summaries that version 0.2.0 has kept of dropped readings. */
export async function sumUpSummaries(session: PostgresSession): Promise<void> {
  await session.run(`declare summed_days no scroll cursor for ${daysSql}`);
  for (let isMore = true; isMore; ) {
    const days = await session.query<SummedDay>(`fetch ${daysAtOnce} from summed_days`);
    isMore = days.length > 0;
    await session.query(
      'insert into day_sums select * from unnest($1::int4[], $2::int4[], $3::int8[], $4::int8[], $5::bytea[])',
      [
        days.map(({ entity }) => entity),
        days.map(({ series }) => series),
        days.map((day) => day.dayUs),
        days.map(({ droppedUs }) => droppedUs),
        days.map(({ hours }) => daySumsOfHours(hours)),
      ],
    );
  }
  await session.run('close summed_days');
}
