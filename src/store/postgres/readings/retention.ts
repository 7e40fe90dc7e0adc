import { type DropRequest, type DropResult, summaryWidthUs } from '../../../core/port/readings.ts';
import type { Columns } from '../../../core/readings/columns.ts';
import { bucketStart } from '../../../core/readings/reads/bucket-spans.ts';
import { hourPartsOf, type Summary, summarised } from '../../../core/readings/reads/summaries.ts';
import type { Database } from '../connection/database.ts';
import type { PostgresSession } from '../connection/session.ts';
import type { EntityNumbers } from '../records/entity-numbers.ts';

/** The readings of one step, which takes some tens of milliseconds. */
const mostReadings = 2000;

/**
 * Replaces old readings by summaries in steps; see the port. Steps of several daemons wait for each other by the row of `drops`. A
 * step is a few statements, however few readings a sensor has: the server may be a millisecond away.
 */
export async function drop(
  database: Database,
  entityNumbers: EntityNumbers,
  { entityId, timezone, untilUs, position = 0 }: DropRequest,
): Promise<DropResult> {
  const entity = await entityNumbers.find(entityId);
  if (entity === undefined) return { readings: 0, next: null };

  return database.transaction(async (session) => {
    await session.query(recordSql, [entity, untilUs]);
    await session.run(onlyIndexScans);
    const droppedReadings = await session.query<Reading>(dropSql, [entity, position, untilUs]);
    await keepSummaries(session, { entity, timezone }, droppedReadings);

    const isFull = droppedReadings.length === mostReadings;
    return {
      readings: droppedReadings.length,
      next: (isFull && droppedReadings.at(-1)?.series) || null,
    };
  });
}

interface Reading {
  series: number;
  atUs: number;
  value: number;
}

const recordSql = `insert into drops (entity, until_us) values ($1, $2)
  on conflict (entity) do update set until_us = excluded.until_us`;

/** Without sorts and joins of whole tables, the oldest readings are found series by series, up to the limit. */
const onlyIndexScans = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'sort']
  .map((planKind) => `set local enable_${planKind} = off`)
  .join('; ');

const dropSql = `with gone as (delete from readings as r using (
    select s.series, o.at_us from series as s cross join lateral (
      select at_us from readings
        where entity = $1 and series = s.series and at_us < $3
        order by at_us limit ${mostReadings}) as o
    where s.entity = $1 and s.series >= $2
    order by s.series, o.at_us limit ${mostReadings}) as oldest
  where r.entity = $1 and r.series = oldest.series and r.at_us = oldest.at_us
  returning r.series, r.at_us, r.value)
  select series, at_us as "atUs", value from gone order by series, at_us`;

async function keepSummaries(
  session: PostgresSession,
  { entity, timezone }: { entity: number; timezone: string },
  readings: readonly Reading[],
): Promise<void> {
  const seriesParts = columnsBySeries(readings);
  const hours = seriesParts.flatMap(({ series, columns }) => {
    const hourParts = [...hourPartsOf(columns, timezone)];
    return hourParts.map(({ hourUs }) => ({ series, hourUs }));
  });
  const storedSummaries = await session.query<SeriesSummary>(findSql, [
    entity,
    hours.map(({ series }) => series),
    hours.map(({ hourUs }) => hourUs),
  ]);

  const summariesByHour = new Map<string, SeriesSummary[]>();
  for (const summary of storedSummaries) {
    const hourOfSummary = hourKey(summary.series, summary.hourUs);
    const hourSummaries = summariesByHour.get(hourOfSummary) ?? [];
    summariesByHour.set(hourOfSummary, [...hourSummaries, summary]);
  }

  const newSummaries = seriesParts.flatMap(({ series, columns }) => {
    const storedOf = (hourUs: number) => summariesByHour.get(hourKey(series, hourUs)) ?? [];
    const summaries = summarised(columns, timezone, storedOf);
    return summaries.map((summary) => ({ ...summary, series }));
  });
  const valuesByColumn = summaryColumns.map(([name]) =>
    newSummaries.map((summary) => summary[name]),
  );
  await session.query(putSql, [entity, ...valuesByColumn]);
}

/** The key of the hour in which a summary of a series begins. */
function hourKey(series: number, instantUs: number): string {
  return `${series} ${bucketStart(instantUs, summaryWidthUs)}`;
}

interface SeriesPart {
  series: number;
  columns: Columns;
}

function columnsBySeries(readings: readonly Reading[]): SeriesPart[] {
  const bySeries = new Map<number, Reading[]>();
  for (const reading of readings) {
    const seriesReadings = bySeries.get(reading.series);
    if (seriesReadings) seriesReadings.push(reading);
    else bySeries.set(reading.series, [reading]);
  }
  return [...bySeries].map(([series, seriesReadings]) => {
    const columns = {
      count: seriesReadings.length,
      atUs: Float64Array.from(seriesReadings, (reading) => reading.atUs),
      values: Float64Array.from(seriesReadings, (reading) => reading.value),
      qualities: new Uint8Array(seriesReadings.length),
    };
    return { series, columns };
  });
}

type SeriesSummary = Summary & { series: number };

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
  ['fallen', 'fallen', 'float8'],
  ['firstAtUs', 'first_at_us', 'int8'],
  ['lastAtUs', 'last_at_us', 'int8'],
] as const satisfies readonly (readonly [keyof SeriesSummary, string, string])[];

const selectedColumns = summaryColumns.map(([name, column]) => `m.${column} as "${name}"`);
const columnNames = summaryColumns.map(([, column]) => column);
const columnArrays = summaryColumns.map(([, , type], index) => `$${index + 2}::${type}[]`);
const columnUpdates = columnNames.map((column) => `${column} = excluded.${column}`);

const findSql = `select ${selectedColumns.join(', ')}
  from (select distinct s, h from unnest($2::int4[], $3::int8[]) as u (s, h)) as u
  join summaries as m on m.entity = $1 and m.series = u.s and m.hour_us >= u.h and m.hour_us < u.h + ${summaryWidthUs}
  order by m.series, m.hour_us`;

const putSql = `insert into summaries (entity, ${columnNames.join(', ')})
  select $1, * from unnest(${columnArrays.join(', ')})
  on conflict (entity, series, hour_us) do update set ${columnUpdates.join(', ')}`;
