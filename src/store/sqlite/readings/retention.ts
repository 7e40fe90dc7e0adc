import {
  type DropRequest,
  type DropResult,
  mostDroppableCounted,
  type RetentionState,
  summaryWidthUs,
} from '../../../core/port/readings.ts';
import { partOf } from '../../../core/readings/columns.ts';
import { type Summary, summarised } from '../../../core/readings/reads/summaries.ts';
import type { Connection } from '../../sqlite-file/driver.ts';
import type { StoredReadings } from './stored.ts';
import type { Removal } from './write-buffer/rows.ts';

/** Work of one step: some milliseconds, for which ingest waits at most. */
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
  const selectSeriesFrom = connection
    .prepare<[string, number], number>(
      `select series
       from series
       where entity_id = ? and series >= ?
       order by series
       limit ${limits.series + 1}`,
    )
    .pluck();
  const findSummaries = connection.prepare<[number, number, number], Summary>(
    `select hour_us as hourUs, count, min, max, mean, first, last, fallen,
       first_at_us as firstAtUs, last_at_us as lastAtUs
     from summaries
     where series = ? and hour_us >= ? and hour_us < ?
     order by hour_us`,
  );
  const putSummary = connection.prepare(
    `insert or replace into summaries
       (series, hour_us, count, min, max, mean, first, last, fallen, first_at_us, last_at_us)
     values (@series, @hourUs, @count, @min, @max, @mean, @first, @last, @fallen, @firstAtUs, @lastAtUs)`,
  );

  const dropStep = ({ entityId, timezone, untilUs, position }: DropRequest): DropResult => {
    if (position === undefined) recordUntil.run(entityId, untilUs);
    const seriesNumbers = selectSeriesFrom.all(entityId, position ?? 0);
    const removals: Removal[] = [];
    let readings = 0;
    let next = seriesNumbers[limits.series] ?? null;

    for (const series of seriesNumbers.slice(0, limits.series)) {
      const remaining = limits.readings - readings;
      const range = {
        series,
        fromUs: Number.NEGATIVE_INFINITY,
        toUs: untilUs,
        limit: remaining + 1,
      };
      const oldestReadings = stored.columns(range);
      const droppedCount = Math.min(oldestReadings.count, remaining);
      const dropped = partOf(oldestReadings, 0, droppedCount);

      const summariesOfHour = (hourUs: number) =>
        findSummaries.all(series, hourUs, hourUs + summaryWidthUs);
      for (const summary of summarised(dropped, timezone, summariesOfHour))
        putSummary.run({ series, ...summary });

      if (droppedCount > 0) {
        const lastUs = dropped.atUs[droppedCount - 1] ?? 0;
        removals.push({ series, fromUs: range.fromUs, toUs: lastUs + 1 });
      }
      readings += droppedCount;
      if (oldestReadings.count > droppedCount) {
        next = series;
        break;
      }
    }

    if (removals.length > 0) stored.remove(removals);
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
         select last_at_us
         from summaries as m
         where m.series = s.series
         order by hour_us desc
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
