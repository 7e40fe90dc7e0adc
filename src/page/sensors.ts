import type { Api } from './api.ts';
import type { Page, Sensor } from './models.ts';

/** How a sensor is doing: the worst first, as the wall shows them. */
export type SensorState = 'fault' | 'silent' | 'degraded' | 'inactive' | 'ok';

const silentAfterMs = 24 * 60 * 60_000;
const pageSize = 500;

const urgency: Readonly<Record<SensorState, number>> = {
  fault: 0,
  silent: 1,
  degraded: 2,
  ok: 3,
  inactive: 4,
};

export const stateWords: Readonly<Record<SensorState, string>> = {
  fault: 'Fault',
  silent: 'Silent',
  degraded: 'Degraded',
  inactive: 'Switched off',
  ok: 'OK',
};

/** All sensors of the site; `changed` is false if no page of the list has changed. */
export async function readSensors(api: Api): Promise<{ sensors: Sensor[]; changed: boolean }> {
  const sensors: Sensor[] = [];
  let changed = false;
  let cursor: string | undefined;

  do {
    const answer = await api.read<Page<Sensor>>('sensors', { limit: pageSize, cursor });
    sensors.push(...answer.body.data);
    changed ||= answer.changed;
    cursor = answer.body.next_cursor ?? undefined;
  } while (cursor !== undefined);

  return { sensors, changed };
}

/** The state of a sensor at an instant of the server's clock. */
export function stateOf(sensor: Sensor, nowMs: number): SensorState {
  if (!sensor.is_active) return 'inactive';
  if (sensor.last_status === 'fault') return 'fault';

  const lastMs = Date.parse(sensor.last_reading_at ?? '');
  if (!(nowMs - lastMs < silentAfterMs)) return 'silent';

  return sensor.last_status === 'degraded' ? 'degraded' : 'ok';
}

/** Sorts sensors that need attention to the front; then by code. */
export function byUrgency(nowMs: number): (one: Sensor, other: Sensor) => number {
  return (one, other) =>
    urgency[stateOf(one, nowMs)] - urgency[stateOf(other, nowMs)] ||
    compareTexts(one.code, other.code);
}

/** Whether every word of a search is in a sensor's code, name, asset or quantity. */
export function matches(sensor: Sensor, search: string): boolean {
  const text = [sensor.code, sensor.name, sensor.id, sensor.asset_id, sensor.quantity]
    .join(' ')
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const collator = new Intl.Collator('en', { numeric: true });

/** Compares codes as people count: `T2` before `T10`. */
export function compareTexts(one: string, other: string): number {
  return collator.compare(one, other);
}
