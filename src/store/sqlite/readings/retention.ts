import {
  type DropRequest,
  type DropResult,
  mostDroppableCounted,
  type RetentionState,
} from '../../../core/port/readings.ts';
import { type DroppedDay, joinedDay, sumUpDays } from '../../../core/readings/reads/day-sums.ts';
import type { Connection } from '../../sqlite-file/driver.ts';
import type { StoredReadings } from './stored.ts';
import type { Removal } from './write-buffer/rows.ts';

/** Work of one step: some milliseconds, for which ingest waits at most. */
const dropLimits = { readings: 2000, series: 500 } as const;

/** Creates the step that replaces old readings by sums of quarters; see the port. Each step is one transaction. */
export function createDrop(
  connection: Connection,
  stored: StoredReadings,
  limits: Readonly<Record<keyof typeof dropLimits, number>> = dropLimits,
): (request: DropRequest) => DropResult {
  const recordUntil = connection.prepare<[string, number]>(
    'insert or replace into drops (entity_id, until_us) values (?, ?)',
  );
  const selectSeriesFrom = connection
    .prepare<[string, number], number>(
      `select series
       from series
       where entity_id = ? and series >= ?
       order by series
       limit ${limits.series + 1}`,
    )
    .pluck();
  const keep = (series: number, dropped: DroppedDay) => {
    const { days } = stored.chunks;
    const [earlier] = days?.dropped(series, dropped.dayUs, dropped.dayUs + 1) ?? [];
    days?.putDropped(series, joinedDay(earlier, dropped));
  };

  const dropStep = ({ entityId, untilUs, position }: DropRequest): DropResult => {
    if (position === undefined) recordUntil.run(entityId, untilUs);
    const seriesNumbers = selectSeriesFrom.all(entityId, position ?? 0);
    const removals: Removal[] = [];
    const droppedDays: [series: number, day: DroppedDay][] = [];
    let readings = 0;
    let next = seriesNumbers[limits.series] ?? null;

    for (const series of seriesNumbers.slice(0, limits.series)) {
      if (readings >= limits.readings) {
        next = series;
        break;
      }
      const oldest = stored.read(series, Number.NEGATIVE_INFINITY, untilUs);
      const { days, count, nextUs } = sumUpDays(oldest, limits.readings - readings);
      for (const day of days) droppedDays.push([series, day]);
      if (count > 0) {
        removals.push({ series, fromUs: Number.NEGATIVE_INFINITY, toUs: nextUs ?? untilUs });
      }
      readings += count;
      if (nextUs !== null) {
        next = series;
        break;
      }
    }

    if (removals.length > 0) stored.remove(removals);
    // Last, since what changes a chunk takes the sums away that were made of it.
    for (const [series, day] of droppedDays) keep(series, day);
    return { readings, next };
  };
  return (request) => stored.writing(() => dropStep(request));
}

/** Creates the count of the readings that a drop would remove, and the state of retention; see the port. */
export function createDroppable(connection: Connection, stored: StoredReadings) {
  const selectSeries = connection
    .prepare<[string], number>('select series from series where entity_id = ?')
    .pluck();
  const selectState = connection.prepare<{ entity: string }, Omit<RetentionState, 'oldestUs'>>(
    `select
       (select until_us from drops where entity_id = @entity) as untilUs,
       max((
         select dropped_us
         from day_sums as d
         where d.series = s.series and dropped_us is not null
         order by day_us desc
         limit 1
       )) as summarisedUs
     from series as s
     where s.entity_id = @entity`,
  );

  return {
    count: (entityId: string, untilUs: number): number =>
      stored.reading(() => {
        let count = 0;
        for (const series of selectSeries.all(entityId)) {
          count += stored.count(series, Number.NEGATIVE_INFINITY, untilUs);
          if (count > mostDroppableCounted) return mostDroppableCounted + 1;
        }
        return count;
      }),
    state: (entityId: string): RetentionState =>
      stored.reading(() => {
        const retentionState = selectState.get({ entity: entityId });
        if (!retentionState) throw new Error('the state of retention is missing');

        let oldestUs: number | null = null;
        for (const series of selectSeries.all(entityId)) {
          const firstUs = stored.firstUs(series);
          if (firstUs === undefined) continue;
          if (oldestUs === null || firstUs < oldestUs) oldestUs = firstUs;
        }
        return { oldestUs, ...retentionState };
      }),
  };
}
