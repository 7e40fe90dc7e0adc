import { readReadings } from '../client.ts';
import type { Daemon, SensorRow } from '../plant.ts';

/** The sensors LINE-0 to LINE-7. */
export const sensors: SensorRow[] = Array.from({ length: 8 }, (_, index) => ({
  id: `S-${index}`,
  code: `LINE-${index}`,
  name: `Line ${index}`,
  unit: null,
}));

/** As the API takes and gives them. */
export interface ReadingOut {
  sensor: string;
  at: string;
  value: number;
}

/** Readings of one sensor, a microsecond apart, no two the same. */
export function createReadings(sensor: string, first: number, count: number): ReadingOut[] {
  return Array.from({ length: count }, (_, index) => {
    const us = first + index;
    const second = new Date(1_760_000_000_000 + Math.floor(us / 1e6) * 1000)
      .toISOString()
      .slice(0, 19);
    return { sensor, at: `${second}.${String(us % 1e6).padStart(6, '0')}Z`, value: us };
  });
}

/** Of one sensor, as the daemon has kept them. */
export async function readingsOf(
  daemon: Daemon,
  secret: string,
  sensor: string,
): Promise<ReadingOut[]> {
  const kept = await readReadings(daemon.url, secret, sensor, 10_000);
  return kept.map(({ at, value }) => ({ sensor, at, value }));
}
