import type { ListedSensor } from './models.ts';
import { compareTexts } from './sensors.ts';

/** A row of the wall: a heading, or sensors next to each other. */
export interface WallRow {
  top: number;
  height: number;
  heading?: string;
  sensors: readonly ListedSensor[];
}

export const tileMinWidth = 216;
const tileHeight = 128;
const headingHeight = 44;

/** Lays sensors out in rows of as many tiles as fit; groups by asset get a heading each. */
export function layOutWall(
  sensors: readonly ListedSensor[],
  width: number,
  groupByAsset: boolean,
): WallRow[] {
  const columns = Math.max(1, Math.floor(width / tileMinWidth));
  const rows: WallRow[] = [];
  let top = 0;

  for (const [heading, members] of groupByAsset ? groupsOf(sensors) : [['', sensors] as const]) {
    if (heading !== '') {
      rows.push({ top, height: headingHeight, heading, sensors: [] });
      top += headingHeight;
    }

    for (let start = 0; start < members.length; start += columns) {
      rows.push({ top, height: tileHeight, sensors: members.slice(start, start + columns) });
      top += tileHeight;
    }
  }
  return rows;
}

/** The height of all rows, in pixels. */
export function wallHeight(rows: readonly WallRow[]): number {
  const last = rows.at(-1);
  return last === undefined ? 0 : last.top + last.height;
}

/** The rows that are seen between two heights, with a row more at each end. */
export function visibleRows(rows: readonly WallRow[], from: number, to: number): WallRow[] {
  return rows.filter(
    ({ top, height }) => top + height > from - tileHeight && top < to + tileHeight,
  );
}

/** Sensors by asset, in the order of assets; those without one come last. */
function groupsOf(
  sensors: readonly ListedSensor[],
): (readonly [string, readonly ListedSensor[]])[] {
  const groups = new Map<string, ListedSensor[]>();
  for (const sensor of sensors) {
    const name = sensor.asset_id ?? '';
    const members = groups.get(name) ?? [];
    members.push(sensor);
    groups.set(name, members);
  }

  return [...groups]
    .sort(([one], [other]) =>
      one === '' || other === '' ? (one === '' ? 1 : -1) : compareTexts(one, other),
    )
    .map(([name, members]) => [name === '' ? 'Without an asset' : name, members] as const);
}
