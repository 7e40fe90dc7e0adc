import { readReadings } from './client.ts';
import type { Daemon, SensorRow } from './plant.ts';

/** Sensors for tests that fill a store. */
export const sensors: SensorRow[] = Array.from({ length: 8 }, (_, index) => ({
  id: `S-${index}`,
  code: `LINE-${index}`,
  name: `Line ${index}`,
  unit: null,
}));

/** A reading as it is sent and read again. */
export interface ReadingOut {
  sensor: string;
  at: string;
  value: number;
}

/** Readings of one sensor, a microsecond apart, no two the same. */
export function createReadings(sensor: string, first: number, count: number): ReadingOut[] {
  return Array.from({ length: count }, (_, index) => {
    const us = first + index;
    const second = new Date(1_760_000_000_000 + Math.floor(us / 1e6) * 1000).toISOString().slice(0, 19);
    return { sensor, at: `${second}.${String(us % 1e6).padStart(6, '0')}Z`, value: us };
  });
}

/** All readings of a sensor. */
export async function readingsOf(daemon: Daemon, secret: string, sensor: string): Promise<ReadingOut[]> {
  const kept = await readReadings(daemon.url, secret, sensor, 10_000);
  return kept.map(({ at, value }) => ({ sensor, at, value }));
}
