import { mostDroppableCounted, type RetentionState } from '../../../core/port/readings.ts';
import { isShownUs } from '../connection/column-types.ts';
import type { Lane } from '../connection/lane.ts';
import type { EntityNumbers } from '../records/entity-numbers.ts';

const countSql = `select count(*) as readings from (
    select 1 from series as s cross join lateral (select 1 from readings
      where entity = $1 and series = s.series and at_us < $2 limit ${mostDroppableCounted + 1}) as r
    where s.entity = $1 limit ${mostDroppableCounted + 1}) as found`;

/** Counts what a drop would take out; see the port. */
export async function countDroppable(
  lane: Lane,
  numbers: EntityNumbers,
  entityId: string,
  untilUs: number,
): Promise<number> {
  const entity = await numbers.find(entityId);
  if (entity === undefined) return 0;
  const [count] = await lane.query<{ readings: number }>(countSql, [entity, untilUs]);
  if (!count) throw new Error('the count is missing');
  return count.readings;
}

const stateSql = `select
  (select min(r.at_us) from series as s cross join lateral (select at_us from readings
    where entity = $1 and series = s.series and ${isShownUs('at_us')} order by at_us limit 1) as r where s.entity = $1) as "oldestUs",
  (select until_us from drops where entity = $1 and ${isShownUs('until_us')}) as "untilUs",
  (select max(m.last_at_us) from series as s cross join lateral (select last_at_us from summaries
    where entity = $1 and series = s.series and ${isShownUs('hour_us')} and ${isShownUs('last_at_us')}
    order by hour_us desc limit 1) as m where s.entity = $1) as "summarisedUs"`;

/** Reads the state of retention; see the port. */
export async function readRetention(lane: Lane, numbers: EntityNumbers, entityId: string): Promise<RetentionState> {
  const entity = await numbers.find(entityId);
  if (entity === undefined) return { oldestUs: null, untilUs: null, summarisedUs: null };
  const [state] = await lane.query<RetentionState>(stateSql, [entity]);
  if (!state) throw new Error('the state of retention is missing');
  return state;
}
