import { isSilent, seenMsOf } from '../../core/readings/last-state.ts';
import type { Read } from '../api/api.ts';
import type { ListedSensor } from '../api/models.ts';
import { mayRead, readAll, type Site } from '../api/site.ts';

/** The state of a sensor: the worst first, as the wall shows them. */
export type TileState = 'fault' | 'silent' | 'degraded' | 'ok' | 'unheard' | 'inactive';

/** A battery that should be changed soon. */
export const lowBatteryPercent = 20;

const urgency: Readonly<Record<TileState, number>> = {
  fault: 0,
  silent: 1,
  degraded: 2,
  ok: 3,
  unheard: 4,
  inactive: 5,
};

export const stateWords: Readonly<Record<TileState, string>> = {
  fault: 'Fault',
  silent: 'Silent',
  degraded: 'Degraded',
  unheard: 'Never heard',
  inactive: 'Switched off',
  ok: 'OK',
};

/** All sensors of the site. */
export function readSensors(read: Read): Promise<ListedSensor[]> {
  return readAll<ListedSensor>(read, 'sensors');
}

/** The names of assets by their ids; none if the key may not read them. */
export async function readAssetNames(read: Read, site: Site): Promise<Map<string, string>> {
  if (!mayRead(site, 'assets')) return new Map();

  const assets = await readAll<{ id: string; name: string }>(read, 'assets');
  return new Map(assets.map(({ id, name }) => [id, name]));
}

/** The state of a sensor at an instant of the server's clock. */
export function stateOf(sensor: ListedSensor, nowMs: number): TileState {
  if (!sensor.is_active) return 'inactive';
  if (sensor.last_status === 'fault') return 'fault';

  const seenMs = seenMsOf(sensor);
  if (seenMs === null) return 'unheard';
  if (isSilent(sensor.silent_after ?? null, seenMs, nowMs)) return 'silent';

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
export function matches(sensor: ListedSensor, search: string, assetName = ''): boolean {
  if (search === '') return true;
  const { code, name, id, asset_id, quantity } = sensor;
  const searchedText = [code, name, id, asset_id, assetName, quantity].join(' ').toLowerCase();
  const words = search.toLowerCase().trim().split(/\s+/);
  return words.every((word) => searchedText.includes(word));
}

const collator = new Intl.Collator('en', { numeric: true });

/** Compares codes as people count: `T2` before `T10`. */
export function compareTexts(one: string, other: string): number {
  return collator.compare(one, other);
}

/** About as many letters as the two lines of a tile's title hold. */
const titleLength = 40;

/**
 * The titles of tiles by the ids of their sensors. A name too long for its tile is cut where it is
 * like another one, not where it differs.
 */
export function tileTitles(sensors: readonly ListedSensor[]): Map<string, string> {
  const names = [...new Set(sensors.map(({ name }) => name))].sort();
  const titles = new Map<string, string>();
  names.forEach((name, index) => {
    const neighbours = [names[index - 1] ?? '', names[index + 1] ?? ''];
    const sameLengths = neighbours.map((neighbour) => sharedLength(name, neighbour));
    titles.set(name, titleOf(name, Math.max(...sameLengths)));
  });
  return new Map(sensors.map(({ id, name }) => [id, titles.get(name) ?? name]));
}

/** Keeps the part of a long name that begins shortly before the letter in which it differs. */
function titleOf(name: string, differsAt: number): string {
  if (name.length <= titleLength || differsAt < titleLength * 0.7) return name;

  const earliestStart = Math.min(differsAt - titleLength / 4, name.length - titleLength + 1);
  const wordStart = name.lastIndexOf(' ', earliestStart) + 1;
  const isNear = earliestStart - wordStart < titleLength / 4;
  const start = isNear ? wordStart : earliestStart;
  return start === 0 ? name : `…${name.slice(start)}`;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
