import type { DropRequest, DropResult, SeriesRange } from '../../../core/port/readings.ts';
import {
  type DroppedDay,
  joinedDay,
  sumUpDays,
  withoutRange,
} from '../../../core/readings/reads/day-sums.ts';
import { quarterUs } from '../../../core/readings/reads/quarters.ts';
import { DaySumsEncoder, readDroppedDay } from '../../sqlite-file/chunks/day-sums-codec.ts';
import type { Database } from '../connection/database.ts';
import type { PostgresSession } from '../connection/session.ts';
import type { EntityNumbers } from '../records/entity-numbers.ts';
import { decodeReadings, firstDayOf, instantsAndValues } from './reading-rows.ts';
import { entityOfSeries, numberOfSeries } from './writer/series-numbers.ts';

/** The readings of one step, which takes some tens of milliseconds; the last ones come with all of their quarter of an hour. */
const mostReadings = 2000;

/**
 * Replaces old readings by sums in steps; see the port. Steps of several daemons wait for each other by the row of `drops`. A
 * step is a few statements, however few readings a sensor has: the server may be a millisecond away.
 */
export async function drop(
  database: Database,
  entityNumbers: EntityNumbers,
  { entityId, untilUs, position = 0 }: DropRequest,
): Promise<DropResult> {
  const entity = await entityNumbers.find(entityId);
  if (entity === undefined) return { readings: 0, next: null };

  return database.transaction(async (session) => {
    await session.query(recordSql, [entity, untilUs]);
    await session.run(onlyIndexScans);
    const dropped = await session.query<DroppedReadings>(dropSql, [entity, position, untilUs]);
    const days: SeriesDay[] = [];
    let readings = 0;
    for (const { series, ...encoded } of dropped) {
      const ofSeries = decodeReadings(encoded);
      readings += ofSeries.count;
      for (const day of sumUpDays([ofSeries]).days) days.push({ series, day });
    }
    await keep(session, entity, days);
    const isFull = readings >= mostReadings;
    return { readings, next: (isFull && dropped.at(-1)?.series) || null };
  });
}

interface DroppedReadings {
  series: number;
  readings: string;
}

interface SeriesDay {
  series: number;
  day: DroppedDay;
}

const recordSql = `insert into drops (entity, until_us) values ($1, $2)
  on conflict (entity) do update set until_us = excluded.until_us`;

/** Without sorts and joins of whole tables, the oldest readings are found series by series, up to the limit. */
const onlyIndexScans = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'sort']
  .map((planKind) => `set local enable_${planKind} = off`)
  .join('; ');

/** The end of the quarter of an hour of an instant, which may be before 1970. */
const quarterEnd = (us: string) =>
  `${us} - (${us} % ${quarterUs} + ${quarterUs}) % ${quarterUs} + ${quarterUs}`;

const dropSql = `with oldest as materialized (
    select s.series, o.at_us from series as s cross join lateral (
      select at_us from readings
        where entity = $1 and series = s.series and at_us < $3
        order by at_us limit ${mostReadings}) as o
    where s.entity = $1 and s.series >= $2
    order by s.series, o.at_us limit ${mostReadings}),
  last as materialized (select series, max(at_us) as at_us from oldest group by series),
  gone as (delete from readings as r using last
    where r.entity = $1 and r.series = last.series and r.at_us < least($3, ${quarterEnd('last.at_us')})
    returning r.series, r.at_us, r.value)
  select series, ${instantsAndValues.replace("''", "'' order by at_us")} from gone group by series order by series`;

async function keep(
  session: PostgresSession,
  entity: number,
  added: readonly SeriesDay[],
): Promise<void> {
  const storedDays = await session.query<StoredDay>(findSql, [
    entity,
    added.map(({ series }) => series),
    added.map(({ day }) => day.dayUs),
  ]);
  const earlier = new Map(
    storedDays.map((row) => [dayKey(row.series, row.dayUs), readDroppedDay(row)]),
  );
  const days = added.map(({ series, day }) => {
    return { series, day: joinedDay(earlier.get(dayKey(series, day.dayUs)), day) };
  });
  await put(session, entity, days);
}

function dayKey(series: number, dayUs: number): string {
  return `${series} ${dayUs}`;
}

/** Removes the sums of dropped quarters in a range. */
export async function eraseDropped(database: Database, range: SeriesRange): Promise<void> {
  const { fromUs, toUs } = range;
  const [entity, series] = [entityOfSeries(range.series), numberOfSeries(range.series)];
  await database.transaction(async (session) => {
    const rows = await session.query<StoredDay>(inRangeSql, [
      entity,
      series,
      firstDayOf(fromUs),
      toUs,
    ]);
    const rest: SeriesDay[] = [];
    const emptyDays: number[] = [];
    for (const row of rows) {
      const dropped = readDroppedDay(row);
      const day = dropped && withoutRange(dropped, range);
      if (day) rest.push({ series, day });
      else emptyDays.push(row.dayUs);
    }
    await put(session, entity, rest);
    await session.query(
      'delete from day_sums where entity = $1 and series = $2 and day_us = any($3::int8[])',
      [entity, series, emptyDays],
    );
  });
}

interface StoredDay {
  series: number;
  dayUs: number;
  droppedUs: number;
  body: Buffer;
}

const encoder = new DaySumsEncoder();

async function put(
  session: PostgresSession,
  entity: number,
  days: readonly SeriesDay[],
): Promise<void> {
  await session.query(putSql, [
    entity,
    days.map(({ series }) => series),
    days.map(({ day }) => day.dayUs),
    days.map(({ day }) => day.droppedUs),
    days.map(({ day }) => encoder.encode(day.dayUs, day.quarters)),
  ]);
}

const columns = 'd.series, d.day_us as "dayUs", d.dropped_us as "droppedUs", d.body';

/** Locked in order of the key, since an erasure may change the same days. */
const findSql = `select ${columns} from unnest($2::int4[], $3::int8[]) as u (series, day_us)
  join day_sums as d on d.entity = $1 and d.series = u.series and d.day_us = u.day_us
  order by d.series, d.day_us for update of d`;

const inRangeSql = `select ${columns} from day_sums as d
  where entity = $1 and series = $2 and day_us >= $3 and day_us < $4
  order by d.series, d.day_us for update`;

const putSql = `insert into day_sums (entity, series, day_us, dropped_us, body)
  select $1, * from unnest($2::int4[], $3::int8[], $4::int8[], $5::bytea[])
  on conflict (entity, series, day_us) do update set dropped_us = excluded.dropped_us, body = excluded.body`;
