import { mostDroppableCounted, type RetentionState } from '../../../core/port/readings.ts';
import type { Connection } from '../../sqlite-database/driver.ts';
import type { StoredReadings } from './stored.ts';

/** Creates the count of what a drop would take out, and the state of retention; see the port. */
export function createDroppable(connection: Connection, stored: StoredReadings) {
  const seriesOf = connection.prepare<[string], number>('select series from series where entity_id = ?').pluck();
  const state = connection.prepare<{ entity: string }, Omit<RetentionState, 'oldestUs'>>(
    `select (select until_us from drops where entity_id = @entity) as untilUs,
       max((select last_at_us from summaries as m where m.series = s.series order by hour_us desc limit 1)) as summarisedUs
     from series as s where s.entity_id = @entity`,
  );
  return {
    count: (entityId: string, untilUs: number): number =>
      stored.reading(() => {
        let count = 0;
        for (const series of seriesOf.all(entityId)) {
          count += stored.count(series, Number.NEGATIVE_INFINITY, untilUs);
          if (count > mostDroppableCounted) return mostDroppableCounted + 1;
        }
        return count;
      }),
    state: (entityId: string): RetentionState =>
      stored.reading(() => {
        const found = state.get({ entity: entityId });
        if (!found) throw new Error('the state of retention is missing');
        let oldestUs: number | null = null;
        for (const series of seriesOf.all(entityId)) {
          const firstUs = stored.firstUs(series);
          if (firstUs !== undefined && (oldestUs === null || firstUs < oldestUs)) oldestUs = firstUs;
        }
        return { oldestUs, ...found };
      }),
  };
}
