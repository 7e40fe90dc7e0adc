import { type Sensor, type SensorDirectory, toDirectory } from '../../../core/port/readings.ts';
import type { Database, Lane } from '../connection/database.ts';
import { toSeries } from './writer/series-numbers.ts';

/** `series` is null if the sensor has no number yet. */
type SensorRow = Omit<Sensor, 'series'> & { entity: number; series: number | null };

const sensorsSql = `select d.entity, s.series, d.id, d.code, d.unit, d.is_active as "isActive",
    d.silent_after as "silentAfter"
  from record_entities e join sensors d on d.entity = e.number
  left join series s on s.entity = d.entity and s.sensor_id = d.id
  where e.entity_id = $1 order by d.id`;

/** Reads the sensors of an entity, and gives those that are new a number each. */
export async function readDirectory(
  database: Database,
  lane: Lane,
  entityId: string,
): Promise<SensorDirectory> {
  const readSensors = () => lane.query<SensorRow>(sensorsSql, [entityId]);
  let sensorRows = await readSensors();
  const unnumbered = sensorRows.find(({ series }) => series === null);
  if (unnumbered) {
    await addSeries(database, unnumbered.entity);
    sensorRows = await readSensors();
  }
  // A sensor that was imported after that appears with the next version.
  const sensors = sensorRows.flatMap(({ entity, series, ...sensor }): Sensor[] => {
    if (series === null) return [];
    return [{ series: toSeries(entity, series), ...sensor }];
  });
  return toDirectory(sensors);
}

/** Numbers are given under the lock of the entity's row: sequences of Citus' workers would give huge ones. */
async function addSeries(database: Database, entity: number): Promise<void> {
  await database.transaction(async (session) => {
    const [entityRow] = await session.query<{ last: number }>(
      'select last_series as last from record_entities where number = $1 for update',
      [entity],
    );
    // Removed meanwhile.
    if (!entityRow) return;
    await session.query(
      `insert into series (entity, series, sensor_id)
        select d.entity, $2 + row_number() over (order by d.id), d.id from sensors d
        where d.entity = $1 and not exists (select 1 from series s where s.entity = $1 and s.sensor_id = d.id)`,
      [entity, entityRow.last],
    );
    await session.query(
      `update record_entities
        set last_series = greatest(last_series, (select max(series) from series where entity = $1)) where number = $1`,
      [entity],
    );
  });
}
