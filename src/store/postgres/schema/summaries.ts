import { dayOf } from '../../../core/readings/reads/day-sums.ts';
import { daySumsOfHours, type HourSummary } from '../../sqlite-file/chunks/hour-summaries.ts';
import type { PostgresSession } from '../connection/session.ts';

type Summary = HourSummary & { entity: number; series: number };

/** Summaries that are in memory at once. */
const summariesAtOnce = 20_000;

/** Makes sums of days of the hourly summaries that version 0.2.0 has kept of dropped readings. */
export async function sumUpSummaries(session: PostgresSession): Promise<void> {
  await session.run(`declare hour_summaries no scroll cursor for
    select entity, series, hour_us as "hourUs", count, min, max, mean, first, last, fallen, last_at_us as "lastAtUs"
      from summaries order by entity, series, hour_us`);
  let waiting: Summary[] = [];
  for (let isMore = true; isMore; ) {
    const fetched = await session.query<Summary>(`fetch ${summariesAtOnce} from hour_summaries`);
    isMore = fetched.length > 0;
    const days = new Map<string, Summary[]>();
    for (const summary of [...waiting, ...fetched]) {
      const key = dayKey(summary);
      const hours = days.get(key);
      if (hours) hours.push(summary);
      else days.set(key, [summary]);
    }
    // The last day may go on.
    const last = isMore ? [...days].at(-1) : undefined;
    if (last) days.delete(last[0]);
    waiting = last?.[1] ?? [];
    await insertDays(session, [...days.values()]);
  }
  await session.run('close hour_summaries');
}

function dayKey({ entity, series, hourUs }: Summary): string {
  return `${entity} ${series} ${dayOf(hourUs)}`;
}

async function insertDays(session: PostgresSession, days: readonly Summary[][]): Promise<void> {
  const rows = days.flatMap((hours) => {
    const [first] = hours;
    if (!first) return [];
    const { entity, series, hourUs } = first;
    const droppedUs = Math.max(...hours.map(({ lastAtUs }) => lastAtUs));
    return [{ entity, series, dayUs: dayOf(hourUs), droppedUs, body: daySumsOfHours(hours) }];
  });
  await session.query(
    `insert into day_sums (entity, series, day_us, dropped_us, body)
      select * from unnest($1::int4[], $2::int4[], $3::int8[], $4::int8[], $5::bytea[])`,
    [
      rows.map(({ entity }) => entity),
      rows.map(({ series }) => series),
      rows.map(({ dayUs }) => dayUs),
      rows.map(({ droppedUs }) => droppedUs),
      rows.map(({ body }) => body),
    ],
  );
}
