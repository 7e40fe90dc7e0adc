import type { Api } from '../api/api.ts';
import type { ListAnswer, ListedSensor } from '../api/models.ts';

/** The state of a sensor: the worst first, as the wall shows them. */
export type TileState = 'fault' | 'silent' | 'degraded' | 'inactive' | 'ok';

const silentAfterMs = 24 * 60 * 60_000;
/** A battery that should be changed soon. */
export const lowBatteryPercent = 20;

const pageSize = 500;

const urgency: Readonly<Record<TileState, number>> = {
  fault: 0,
  silent: 1,
  degraded: 2,
  ok: 3,
  inactive: 4,
};

export const stateWords: Readonly<Record<TileState, string>> = {
  fault: 'Fault',
  silent: 'Silent',
  degraded: 'Degraded',
  inactive: 'Switched off',
  ok: 'OK',
};

/** All sensors of the site; `changed` is false if no page of the list has changed. */
export async function readSensors(
  api: Api,
): Promise<{ sensors: ListedSensor[]; changed: boolean }> {
  const sensors: ListedSensor[] = [];
  let changed = false;
  let cursor: string | undefined;

  do {
    const query = { limit: pageSize, cursor };
    const answer = await api.read<ListAnswer<ListedSensor>>('sensors', query);
    sensors.push(...answer.body.data);
    changed ||= answer.changed;
    cursor = answer.body.next_cursor ?? undefined;
  } while (cursor !== undefined);

  return { sensors, changed };
}

/** The state of a sensor at an instant of the server's clock. */
export function stateOf(sensor: ListedSensor, nowMs: number): TileState {
  if (!sensor.is_active) return 'inactive';
  if (sensor.last_status === 'fault') return 'fault';

  const lastMs = Date.parse(sensor.last_reading_at ?? '');
  if (!(nowMs - lastMs < silentAfterMs)) return 'silent';

  return sensor.last_status === 'degraded' ? 'degraded' : 'ok';
}

/**
 * Sorts sensors: those that need attention first, then by code. Comparing codes takes longest, so
 * their order is kept until there is a new code.
 */
export function createRanking() {
  let placesByCode = new Map<string, number>();

  return (sensors: readonly ListedSensor[], nowMs: number): ListedSensor[] => {
    if (sensors.some(({ code }) => !placesByCode.has(code))) {
      const codes = sensors.map(({ code }) => code).sort(compareTexts);
      placesByCode = new Map(codes.map((code, place) => [code, place]));
    }

    const ranked = sensors.map((sensor) => ({
      sensor,
      urgency: urgency[stateOf(sensor, nowMs)],
      place: placesByCode.get(sensor.code) ?? 0,
    }));
    ranked.sort((one, other) => one.urgency - other.urgency || one.place - other.place);
    return ranked.map(({ sensor }) => sensor);
  };
}

/** Whether every word of a search is in a sensor's code, name, asset or quantity. */
export function matches(sensor: ListedSensor, search: string): boolean {
  if (search === '') return true;
  const searchedText = [sensor.code, sensor.name, sensor.id, sensor.asset_id, sensor.quantity]
    .join(' ')
    .toLowerCase();
  const words = search.toLowerCase().split(/\s+/);
  return words.every((word) => searchedText.includes(word));
}

const collator = new Intl.Collator('en', { numeric: true });

/** Compares codes as people count: `T2` before `T10`. */
export function compareTexts(one: string, other: string): number {
  return collator.compare(one, other);
}
