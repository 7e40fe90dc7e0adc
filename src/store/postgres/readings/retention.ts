import type { DropRequest, DropResult } from '../../../core/port/readings.ts';
import { partOf } from '../../../core/readings/columns.ts';
import { hoursOf, type Summary, summarised } from '../../../core/readings/reads/summaries.ts';
import type { Database } from '../connection/database.ts';
import type { Session } from '../connection/session.ts';
import type { EntityNumbers } from '../records/entity-numbers.ts';

/** What one step handles: some tens of milliseconds. */
const dropLimits = { readings: 2000, series: 500 } as const;

interface Row {
  series: number;
  atUs: number;
  value: number;
}

/** Replaces old readings by summaries in steps; see the port. Steps of several daemons wait for each other by the row of `drops`. */
export async function drop(
  database: Database,
  numbers: EntityNumbers,
  { entityId, untilUs, position }: DropRequest,
): Promise<DropResult> {
  const entity = await numbers.find(entityId);
  if (entity === undefined) return { readings: 0, next: null };
  return database.transaction(async (session) => {
    if (position === undefined) await session.query(recordSql, [entity, untilUs]);
    else await session.query('select 1 from drops where entity = $1 for update', [entity]);
    await session.run(
      'set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off',
    );
    return dropStep(session, entity, untilUs, position ?? 0);
  });
}

const recordSql = `insert into drops (entity, until_us) values ($1, $2)
  on conflict (entity) do update set until_us = excluded.until_us`;

async function dropStep(session: Session, entity: number, untilUs: number, from: number): Promise<DropResult> {
  const numbers = await session.query<{ series: number }>(
    `select series from series where entity = $1 and series >= $2 order by series limit ${dropLimits.series + 1}`,
    [entity, from],
  );
  const series = numbers.slice(0, dropLimits.series).map((row) => row.series);
  const oldest = await session.query<Row>(oldestSql, [entity, series, untilUs]);
  const rows = oldest.slice(0, dropLimits.readings);
  await keepSummaries(session, entity, rows);
  await session.query(
    `delete from readings r using unnest($2::int4[], $3::int8[]) as u (s, t)
      where r.entity = $1 and r.series = u.s and r.at_us = u.t`,
    [entity, rows.map((row) => row.series), rows.map(({ atUs }) => atUs)],
  );
  const next = oldest[dropLimits.readings]?.series ?? numbers[dropLimits.series]?.series ?? null;
  return { readings: rows.length, next };
}

const oldestSql = `select s as series, r.at_us as "atUs", r.value from unnest($2::int4[]) as s
  cross join lateral (select at_us, value from readings where entity = $1 and series = s and at_us < $3
    order by at_us limit ${dropLimits.readings + 1}) as r
  order by s, r.at_us limit ${dropLimits.readings + 1}`;

type SeriesSummary = Summary & { series: number };

async function keepSummaries(session: Session, entity: number, rows: readonly Row[]): Promise<void> {
  const columns = {
    count: rows.length,
    atUs: Float64Array.from(rows, ({ atUs }) => atUs),
    values: Float64Array.from(rows, ({ value }) => value),
    qualities: new Uint8Array(rows.length),
  };
  const starts = rows.flatMap(({ series }, row) => (series === rows[row - 1]?.series ? [] : [row]));
  const ofSeries = starts.map((from, n) => {
    return { series: rows[from]?.series ?? 0, own: partOf(columns, from, starts[n + 1] ?? rows.length) };
  });
  const hours = ofSeries.flatMap(({ series, own }) => [...hoursOf(own)].map(({ hourUs }) => [series, hourUs] as const));
  const found = await session.query<SeriesSummary>(findSql, [
    entity,
    hours.map(([series]) => series),
    hours.map(([, hourUs]) => hourUs),
  ]);
  const known = new Map(found.map((one) => [`${one.series} ${one.hourUs}`, one]));
  const kept = ofSeries.flatMap(({ series, own }) =>
    summarised(own, (hourUs) => known.get(`${series} ${hourUs}`)).map((summary) => ({ ...summary, series })),
  );
  if (kept.length === 0) return;
  const keptColumns = summaryColumns.map(([name]) => kept.map((summary) => summary[name]));
  await session.query(putSql, [entity, ...keptColumns]);
}

/** Each member of a summary, its column, and the type of that. */
const summaryColumns = [
  ['series', 'series', 'int4'],
  ['hourUs', 'hour_us', 'int8'],
  ['count', 'count', 'int8'],
  ['min', 'min', 'float8'],
  ['max', 'max', 'float8'],
  ['mean', 'mean', 'float8'],
  ['first', 'first', 'float8'],
  ['last', 'last', 'float8'],
  ['firstAtUs', 'first_at_us', 'int8'],
  ['lastAtUs', 'last_at_us', 'int8'],
] as const satisfies readonly (readonly [keyof SeriesSummary, string, string])[];

const findSql = `select ${summaryColumns.map(([name, column]) => `m.${column} as "${name}"`).join(', ')}
  from unnest($2::int4[], $3::int8[]) as u (s, h) join summaries m on m.entity = $1 and m.series = u.s and m.hour_us = u.h`;

const putSql = `insert into summaries (entity, ${summaryColumns.map(([, column]) => column).join(', ')})
  select $1, * from unnest(${summaryColumns.map(([, , type], n) => `$${n + 2}::${type}[]`).join(', ')})
  on conflict (entity, series, hour_us) do update set ${summaryColumns.map(([, column]) => `${column} = excluded.${column}`).join(', ')}`;
