import { mostDroppableCounted, type RetentionState } from '../../../core/port/readings.ts';
import type { Connection } from '../connection/driver.ts';

/** Creates the count of what a drop would take out, and the state of retention; see the port. */
export function createDroppable(connection: Connection) {
  const count = connection
    .prepare<[number, string], number>(
      `select count(*) from (select 1 from series as s cross join readings as r on r.series = s.series and r.at_us < ?
         where s.entity_id = ? limit ${mostDroppableCounted + 1})`,
    )
    .pluck();
  const state = connection.prepare<{ entity: string }, RetentionState>(
    `select min((select min(at_us) from readings as r where r.series = s.series)) as oldestUs,
       (select until_us from drops where entity_id = @entity) as untilUs,
       max((select last_at_us from summaries as m where m.series = s.series order by hour_us desc limit 1)) as summarisedUs
     from series as s where s.entity_id = @entity`,
  );
  return {
    count: (entityId: string, untilUs: number): number => count.get(untilUs, entityId) ?? 0,
    state(entityId: string): RetentionState {
      const found = state.get({ entity: entityId });
      if (!found) throw new Error('the state of retention is missing');
      return found;
    },
  };
}
