import type { Sensor, SensorDirectory } from '../port/readings.ts';

/** Sensors by their id and by their code: if one sensor's code is another's id, the code wins. */
export function toDirectory(sensors: readonly Sensor[]): SensorDirectory {
  return new Map([
    ...sensors.map((sensor): [string, Sensor] => [sensor.id, sensor]),
    ...sensors.map((sensor): [string, Sensor] => [sensor.code, sensor]),
  ]);
}
