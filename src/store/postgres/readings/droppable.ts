import { type DroppableCount, mostDroppableCounted } from '../../../core/port/readings.ts';
import type { Lane } from '../connection/lane.ts';
import type { EntityNumbers } from '../records/entity-numbers.ts';

const countSql = `select (select count(*) from (
    select 1 from series as s cross join lateral (select 1 from readings
      where entity = $1 and series = s.series and at_us < $2 limit ${mostDroppableCounted + 1}) as r
    where s.entity = $1 limit ${mostDroppableCounted + 1}) as found) as readings,
  (select min(r.at_us) from series as s cross join lateral (select at_us from readings
      where entity = $1 and series = s.series and at_us < $2 order by at_us limit 1) as r
    where s.entity = $1) as "oldestUs"`;

/** Counts what a drop would take out; see the port. */
export async function countDroppable(
  lane: Lane,
  numbers: EntityNumbers,
  entityId: string,
  untilUs: number,
): Promise<DroppableCount> {
  const entity = await numbers.find(entityId);
  if (entity === undefined) return { readings: 0, oldestUs: null };
  const [count] = await lane.query<DroppableCount>(countSql, [entity, untilUs]);
  if (!count) throw new Error('the counts are missing');
  return count;
}
