import { setTimeout as pause } from 'node:timers/promises';
import { HkctlError } from '../../../core/errors.ts';
import type { DropRequest, DropResult } from '../../../core/port/readings.ts';
import { joined, type Summary, summarise, type TimedValue } from '../../../core/readings/reads/summaries.ts';
import type { Database } from '../connection/database.ts';
import type { Session } from '../connection/session.ts';
import type { EntityNumbers } from '../records/entity-numbers.ts';

/** What one step handles: some tens of milliseconds. */
const dropLimits = { readings: 2000, series: 500 } as const;

/** How long to wait for ingest that began before a border; it takes milliseconds. */
const mostWaitMs = 5000;

interface Row {
  series: number;
  atUs: number;
  value: number;
}

/** Replaces old readings by summaries in steps; see the port. Steps of several daemons wait for each other by the row of the border. */
export async function drop(
  database: Database,
  numbers: EntityNumbers,
  { entityId, untilUs, position }: DropRequest,
): Promise<DropResult> {
  const entity = await numbers.find(entityId);
  if (entity === undefined) return { readings: 0, next: null };
  if (position === undefined) await raiseBorder(database, entity, untilUs);
  return database.transaction(async (session) => {
    await session.query('drops.lock', 'select until_us from drops where entity = $1 for update', [entity]);
    await session.run(
      'set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off',
    );
    return dropStep(session, entity, untilUs, position ?? 0);
  });
}

/**
 * Ingest that has begun before the border was committed does not see it, and could repeat a reading that is in a summary by
 * then: it must have ended before the first reading is dropped.
 */
async function raiseBorder(database: Database, entity: number, untilUs: number): Promise<void> {
  const raised = await database.query(
    'drops.raise',
    `insert into drops (entity, until_us) values ($1, $2)
      on conflict (entity) do update set until_us = excluded.until_us where excluded.until_us > drops.until_us returning 1`,
    [entity, untilUs],
  );
  if (raised.length === 0) return;
  const writers = async () => {
    const rows = await database.query<{ id: string }>('drops.writers', writersSql);
    return rows.map(({ id }) => id);
  };
  const before = await writers();
  for (const endMs = performance.now() + mostWaitMs; before.length > 0; await pause(5)) {
    const now = new Set(await writers());
    if (!before.some((id) => now.has(id))) return;
    if (performance.now() < endMs) continue;
    throw new HkctlError('store_locked', 'Another change of readings takes too long for old readings to be dropped.', {
      hint: 'The daemon tries again by itself.',
    });
  }
}

const writersSql = `select virtualtransaction as id from pg_locks where relation = 'readings'::regclass::oid and granted
  and database = (select oid from pg_database where datname = current_database()) and mode = 'RowExclusiveLock'`;

async function dropStep(session: Session, entity: number, untilUs: number, from: number): Promise<DropResult> {
  const numbers = await session.query<{ series: number }>(
    'drops.series',
    `select series from series where entity = $1 and series >= $2 order by series limit ${dropLimits.series + 1}`,
    [entity, from],
  );
  const series = numbers.slice(0, dropLimits.series).map((row) => row.series);
  const oldest = await session.query<Row>('drops.oldest', oldestSql, [entity, series, untilUs]);
  const rows = oldest.slice(0, dropLimits.readings);
  await keepSummaries(session, entity, rows);
  await session.query(
    'drops.delete',
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
  const bySeries = new Map<number, TimedValue[]>();
  for (const { series, atUs, value } of rows) {
    const own = bySeries.get(series) ?? [];
    own.push([atUs, value]);
    bySeries.set(series, own);
  }
  const fresh = [...bySeries].flatMap(([series, own]) => summarise(own).map((summary) => ({ series, ...summary })));
  if (fresh.length === 0) return;
  const keys = [fresh.map(({ series }) => series), fresh.map(({ hourUs }) => hourUs)];
  const before = await session.query<SeriesSummary>('summaries.find', findSql, [entity, ...keys]);
  // An hour with more readings than a step handles is summed up in parts.
  const keyOf = ({ series, hourUs }: { series: number; hourUs: number }) => `${series} ${hourUs}`;
  const known = new Map(before.map((summary) => [keyOf(summary), summary]));
  const kept = fresh.map((summary): SeriesSummary => {
    const first = known.get(keyOf(summary));
    return first ? { series: summary.series, ...joined(first, summary) } : summary;
  });
  const columns = summaryColumns.map((column) => kept.map((summary) => summary[column]));
  await session.query('summaries.put', putSql, [entity, ...columns]);
}

const summaryColumns = [
  'series',
  'hourUs',
  'count',
  'min',
  'max',
  'mean',
  'first',
  'last',
  'firstAtUs',
  'lastAtUs',
] as const satisfies readonly (keyof SeriesSummary)[];

const findSql = `select m.series, hour_us as "hourUs", count, min, max, mean, first, last, first_at_us as "firstAtUs",
    last_at_us as "lastAtUs"
  from unnest($2::int4[], $3::int8[]) as u (s, h) join summaries m on m.entity = $1 and m.series = u.s and m.hour_us = u.h`;

const putSql = `insert into summaries (entity, series, hour_us, count, min, max, mean, first, last, first_at_us, last_at_us)
  select $1, * from unnest($2::int4[], $3::int8[], $4::int8[], $5::float8[], $6::float8[], $7::float8[], $8::float8[],
    $9::float8[], $10::int8[], $11::int8[])
  on conflict (entity, series, hour_us) do update set count = excluded.count, min = excluded.min, max = excluded.max,
    mean = excluded.mean, first = excluded.first, last = excluded.last, first_at_us = excluded.first_at_us,
    last_at_us = excluded.last_at_us`;
