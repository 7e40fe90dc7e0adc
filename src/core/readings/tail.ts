import type { Domain } from '../domain/domain.ts';
import type { Reading, Sensor } from '../port/readings.ts';

export interface SensorReading extends Reading {
  sensor: Sensor;
}

/** Readings that were stored since the part before. */
interface FollowedPart {
  /** In order of time, whatever the order in which they came. */
  readings: SensorReading[];
  /** Whether none is missing; after a long pause of this process readings that came late may be. */
  isComplete: boolean;
}

/** Yields readings that any process stores from now on, of any age, until the signal aborts; first a part without readings. */
export async function* followReadings(
  { store }: Pick<Domain, 'store'>,
  sensors: readonly Sensor[],
  signal: AbortSignal,
): AsyncGenerator<FollowedPart> {
  const bySeries = new Map(sensors.map((sensor) => [sensor.series, sensor]));
  const feed = await store.readings.follow([...bySeries.keys()]);

  try {
    yield { readings: [], isComplete: true };
    while (!signal.aborted) {
      const { readings, isComplete } = await feed.next();
      const sensorReadings = readings.flatMap(({ series, ...reading }) => {
        const sensor = bySeries.get(series);
        return sensor ? [{ ...reading, sensor }] : [];
      });
      sensorReadings.sort((a, b) => a.atUs - b.atUs);
      yield { readings: sensorReadings, isComplete };
    }
  } finally {
    await feed.close();
  }
}
