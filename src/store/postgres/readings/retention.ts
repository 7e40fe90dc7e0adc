import type { DropRequest, DropResult } from '../../../core/port/readings.ts';
import { hoursOf, type Summary, summarised } from '../../../core/readings/reads/summaries.ts';
import type { Database } from '../connection/database.ts';
import type { Session } from '../connection/session.ts';
import type { EntityNumbers } from '../records/entity-numbers.ts';

/** What one step handles: some tens of milliseconds. */
const mostReadings = 2000;
/** A series takes as long as this number of readings, however few it has. */
const readingsOfSeries = 20;

/** Replaces old readings by summaries in steps; see the port. Steps of several daemons wait for each other by the row of `drops`. */
export async function drop(
  database: Database,
  numbers: EntityNumbers,
  { entityId, untilUs, position = 0 }: DropRequest,
): Promise<DropResult> {
  const entity = await numbers.find(entityId);
  if (entity === undefined) return { readings: 0, next: null };
  return database.transaction(async (session) => {
    await session.query(recordSql, [entity, untilUs]);
    await session.run(
      'set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off',
    );
    let readings = 0;
    for (let [left, from] = [mostReadings, position]; ; ) {
      const [due] = await session.query<{ series: number }>(dueSql, [entity, from, untilUs]);
      if (due === undefined || left <= 0) return { readings, next: due?.series ?? null };
      const gone = await session.query<Reading>(dropSql, [entity, due.series, untilUs, left]);
      await keepSummaries(session, [entity, due.series], gone);
      readings += gone.length;
      left -= Math.max(gone.length, readingsOfSeries);
      from = due.series;
    }
  });
}

interface Reading {
  atUs: number;
  value: number;
}

const recordSql = `insert into drops (entity, until_us) values ($1, $2)
  on conflict (entity) do update set until_us = excluded.until_us`;

/** The next series with a reading to drop. */
const dueSql = `select series from series as s where entity = $1 and series >= $2 and exists (
  select from readings where entity = $1 and series = s.series and at_us < $3) order by series limit 1`;

const dropSql = `with gone as (delete from readings where entity = $1 and series = $2 and at_us <= (select max(at_us) from (
    select at_us from readings where entity = $1 and series = $2 and at_us < $3 order by at_us limit $4) as oldest)
  returning at_us, value) select at_us as "atUs", value from gone order by at_us`;

async function keepSummaries(session: Session, ofSeries: number[], readings: readonly Reading[]): Promise<void> {
  const columns = {
    count: readings.length,
    atUs: Float64Array.from(readings, ({ atUs }) => atUs),
    values: Float64Array.from(readings, ({ value }) => value),
    qualities: new Uint8Array(readings.length),
  };
  const hours = [...hoursOf(columns)].map(({ hourUs }) => hourUs);
  const found = await session.query<Summary>(findSql, [...ofSeries, hours]);
  const known = new Map(found.map((one) => [one.hourUs, one]));
  const kept = summarised(columns, (hourUs) => known.get(hourUs));
  await Promise.all(
    kept.map((summary) => session.query(putSql, [...ofSeries, ...summaryColumns.map(([name]) => summary[name])])),
  );
}

/** Each member of a summary, and its column. */
const summaryColumns = [
  ['hourUs', 'hour_us'],
  ['count', 'count'],
  ['min', 'min'],
  ['max', 'max'],
  ['mean', 'mean'],
  ['first', 'first'],
  ['last', 'last'],
  ['firstAtUs', 'first_at_us'],
  ['lastAtUs', 'last_at_us'],
] as const satisfies readonly (readonly [keyof Summary, string])[];

const findSql = `select ${summaryColumns.map(([name, column]) => `${column} as "${name}"`).join(', ')}
  from summaries where entity = $1 and series = $2 and hour_us = any($3)`;

const putSql = `insert into summaries (entity, series, ${summaryColumns.map(([, column]) => column).join(', ')})
  values (${['$1', '$2', ...summaryColumns.map((_, n) => `$${n + 3}`)].join(', ')})
  on conflict (entity, series, hour_us) do update set ${summaryColumns.map(([, column]) => `${column} = excluded.${column}`).join(', ')}`;
