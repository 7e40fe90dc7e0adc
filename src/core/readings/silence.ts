import type { ReadingStore, Sensor } from '../port/readings.ts';

/** A sensor with the instant of its last reading or heartbeat; null before the first. */
export interface SeenSensor {
  sensor: Sensor;
  seenMs: number | null;
}

/** The number of states that are read at once: few enough not to delay a daemon. */
const statesBatchSize = 500;

export async function* activeSensors(
  readings: Pick<ReadingStore, 'directory' | 'states'>,
  entityId: string,
): AsyncGenerator<SeenSensor> {
  const directory = await readings.directory(entityId);
  // The directory names each sensor by its code and by its id.
  const sensors = [...new Set(directory.values())].filter(({ isActive }) => isActive);

  for (let batchStart = 0; batchStart < sensors.length; batchStart += statesBatchSize) {
    const sensorBatch = sensors.slice(batchStart, batchStart + statesBatchSize);
    const states = await readings.states(sensorBatch.map(({ series }) => series));
    for (const sensor of sensorBatch) {
      const state = states.get(sensor.series);
      const seenUs = Math.max(state?.reading?.atUs ?? -1, state?.heartbeat?.atUs ?? -1);
      yield { sensor, seenMs: seenUs < 0 ? null : seenUs / 1000 };
    }
  }
}
