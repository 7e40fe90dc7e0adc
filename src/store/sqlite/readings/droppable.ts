import { type DroppableCount, mostDroppableCounted } from '../../../core/port/readings.ts';
import type { Connection } from '../connection/driver.ts';

/** Creates the count of what a drop would take out; see the port. */
export function createDroppableCount(connection: Connection): (entityId: string, untilUs: number) => DroppableCount {
  const before =
    'from series as s cross join readings as r on r.series = s.series and r.at_us < ? where s.entity_id = ?';
  const count = connection
    .prepare<[number, string], number>(`select count(*) from (select 1 ${before} limit ${mostDroppableCounted + 1})`)
    .pluck();
  const oldest = connection
    .prepare<[number, string], number | null>(
      `select min(at_us) from (
         select (select min(at_us) from readings as r where r.series = s.series and r.at_us < ?) as at_us
         from series as s where s.entity_id = ?)`,
    )
    .pluck();
  return (entityId, untilUs) => ({
    readings: count.get(untilUs, entityId) ?? 0,
    oldestUs: oldest.get(untilUs, entityId) ?? null,
  });
}
