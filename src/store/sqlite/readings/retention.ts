import type { DropRequest, DropResult } from '../../../core/port/readings.ts';
import { hoursOf, type Summary, summarised, type TimedValue } from '../../../core/readings/reads/summaries.ts';
import type { Connection } from '../../sqlite-database/driver.ts';
import type { Removal } from './log/rows.ts';
import type { StoredReadings } from './stored.ts';

/** What one step handles: some milliseconds, for which ingest waits at most. */
const dropLimits = { readings: 2000, series: 500 } as const;

/** Creates the step that replaces old readings by summaries; see the port. Each step is one transaction. */
export function createDrop(
  connection: Connection,
  stored: StoredReadings,
  limits: Readonly<Record<keyof typeof dropLimits, number>> = dropLimits,
): (request: DropRequest) => DropResult {
  const recordUntil = connection.prepare<[string, number]>(
    'insert or replace into drops (entity_id, until_us) values (?, ?)',
  );
  const seriesFrom = connection
    .prepare<[string, number], number>(
      `select series from series where entity_id = ? and series >= ? order by series limit ${limits.series + 1}`,
    )
    .pluck();
  const find = connection.prepare<[number, number], Summary>(
    `select hour_us as hourUs, count, min, max, mean, first, last, first_at_us as firstAtUs, last_at_us as lastAtUs
     from summaries where series = ? and hour_us = ?`,
  );
  const put = connection.prepare(
    `insert or replace into summaries (series, hour_us, count, min, max, mean, first, last, first_at_us, last_at_us)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  const dropOf = (series: number, rows: readonly TimedValue[]) => {
    const known = hoursOf(rows).flatMap((hourUs) => find.get(series, hourUs) ?? []);
    for (const summary of summarised(rows, new Map(known.map((one) => [one.hourUs, one])))) {
      const { hourUs, count, min, max, mean, first, last, firstAtUs, lastAtUs } = summary;
      put.run(series, hourUs, count, min, max, mean, first, last, firstAtUs, lastAtUs);
    }
  };

  const step = ({ entityId, untilUs, position }: DropRequest): DropResult => {
    if (position === undefined) recordUntil.run(entityId, untilUs);
    const numbers = seriesFrom.all(entityId, position ?? 0);
    const removals: Removal[] = [];
    let readings = 0;
    let next = numbers[limits.series] ?? null;
    for (const series of numbers.slice(0, limits.series)) {
      const left = limits.readings - readings;
      const { count, atUs, values } = stored.columns({
        series,
        fromUs: Number.NEGATIVE_INFINITY,
        toUs: untilUs,
        limit: left + 1,
      });
      const isMore = count > left;
      const rows = Array.from({ length: Math.min(count, left) }, (_, n): TimedValue => [atUs[n] ?? 0, values[n] ?? 0]);
      const [lastUs] = rows.at(-1) ?? [];
      if (lastUs !== undefined) {
        dropOf(series, rows);
        removals.push({ series, fromUs: Number.NEGATIVE_INFINITY, toUs: lastUs + 1 });
      }
      readings += rows.length;
      if (!isMore) continue;
      next = series;
      break;
    }
    if (removals.length > 0) stored.remove(removals);
    return { readings, next };
  };
  return (request) => stored.writing(() => step(request));
}
