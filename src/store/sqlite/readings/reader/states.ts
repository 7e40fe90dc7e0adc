import type { SensorState } from '../../../../core/port/readings.ts';
import type { Connection } from '../../connection/driver.ts';
import type { StoredReadings } from '../stored.ts';

/** Creates the reader of last states; see the port. */
export function createStateReader(connection: Connection, stored: StoredReadings) {
  const lastSummary = connection.prepare<[number], { atUs: number; value: number }>(
    'select last_at_us as atUs, last as value from summaries where series = ? order by hour_us desc limit 1',
  );
  const lastHeartbeat = connection.prepare<[number], { atUs: number; status: string | null }>(
    'select at_us as atUs, status from heartbeats where series = ? order by at_us desc limit 1',
  );
  const stateOf = (series: number): SensorState => {
    const summary = lastSummary.get(series);
    const last = stored.last(series);
    const reading = last && last.atUs > (summary?.atUs ?? Number.NEGATIVE_INFINITY) ? last : summary;
    const heartbeat = lastHeartbeat.get(series);
    return {
      lastReadingAtUs: reading?.atUs ?? null,
      lastValue: reading?.value ?? null,
      lastHeartbeatAtUs: heartbeat?.atUs ?? null,
      lastStatus: heartbeat?.status ?? null,
    };
  };
  return (numbers: readonly number[]): ReadonlyMap<number, SensorState> =>
    stored.reading(() => new Map(numbers.map((series) => [series, stateOf(series)])));
}
