import type { ListedSensor } from '../api/models.ts';
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
  const columnCount = Math.max(1, Math.floor(width / tileMinWidth));
  const rows: WallRow[] = [];
  let top = 0;

  const groups = groupByAsset ? groupsOf(sensors) : [['', sensors] as const];
  for (const [heading, members] of groups) {
    if (heading !== '') {
      rows.push({
        top,
        height: headingHeight,
        heading,
        sensors: [],
      });
      top += headingHeight;
    }

    for (let rowStart = 0; rowStart < members.length; rowStart += columnCount) {
      const rowSensors = members.slice(rowStart, rowStart + columnCount);
      rows.push({ top, height: tileHeight, sensors: rowSensors });
      top += tileHeight;
    }
  }
  return rows;
}

/** The height of all rows, in pixels. */
export function wallHeight(rows: readonly WallRow[]): number {
  const lastRow = rows.at(-1);
  return lastRow === undefined ? 0 : lastRow.top + lastRow.height;
}

/** The rows that are seen between two heights, with a row more at each end. */
export function visibleRows(
  rows: readonly WallRow[],
  visibleTop: number,
  visibleBottom: number,
): WallRow[] {
  return rows.filter(({ top, height }) => {
    const isAbove = top + height <= visibleTop - tileHeight;
    const isBelow = top >= visibleBottom + tileHeight;
    return !isAbove && !isBelow;
  });
}

/** Sensors by asset, in the order of assets; those without one come last. */
function groupsOf(
  sensors: readonly ListedSensor[],
): (readonly [string, readonly ListedSensor[]])[] {
  const groups = new Map<string, ListedSensor[]>();
  for (const sensor of sensors) {
    const assetName = sensor.asset_id ?? '';
    const members = groups.get(assetName) ?? [];
    members.push(sensor);
    groups.set(assetName, members);
  }

  return [...groups]
    .sort(([one], [other]) => compareAssets(one, other))
    .map(([assetName, members]) => [assetName || 'Without an asset', members] as const);
}

function compareAssets(one: string, other: string): number {
  if (one === '') return 1;
  return other === '' ? -1 : compareTexts(one, other);
}
