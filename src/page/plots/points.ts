import type { ApiQuery, Read } from '../api/api.ts';
import type { ListAnswer, Point, SensorPoints } from '../api/models.ts';

/**
 * The points of sensors by their ids; undefined if they do not fit into one answer. Commas separate
 * the sensors of a request, so one with a comma in its id is read by its own path.
 */
export async function readPoints(
  read: Read,
  sensorIds: readonly string[],
  query: ApiQuery,
): Promise<ReadonlyMap<string, readonly Point[]> | undefined> {
  const pointsById = new Map<string, readonly Point[]>();
  const listedIds = sensorIds.filter((id) => !id.includes(','));
  if (listedIds.length > 0) {
    const listQuery = { sensor: listedIds.join(','), ...query };
    const answer = await read<ListAnswer<SensorPoints>>('readings', listQuery);
    if (answer.next_cursor !== null) return undefined;
    for (const { sensor, data } of answer.data) pointsById.set(sensor.id, data);
  }

  for (const id of sensorIds.filter((sensorId) => sensorId.includes(','))) {
    const path = `sensors/${encodeURIComponent(id)}/readings`;
    const answer = await read<ListAnswer<Point>>(path, query);
    if (answer.next_cursor !== null) return undefined;
    pointsById.set(id, answer.data);
  }
  return pointsById;
}
