import type { ListedSensor } from '../api/models.ts';
import { compareTexts } from './sensors.ts';

/** A row of the wall: a heading, or sensors next to each other. */
export interface WallRow {
  top: number;
  height: number;
  /** The asset of the group that begins here; its id is empty for sensors without one. */
  asset?: { id: string; name: string };
  sensors: readonly ListedSensor[];
}

const tileMinWidth = 216;
const tileHeight = 148;
const headingHeight = 44;

/** Lays sensors out in rows of as many tiles as fit; with names of assets, their groups get a heading each. */
export function layOutWall(
  sensors: readonly ListedSensor[],
  width: number,
  assetNames: ReadonlyMap<string, string> | undefined,
): WallRow[] {
  const columnCount = Math.max(1, Math.floor(width / tileMinWidth));
  const rows: WallRow[] = [];
  let top = 0;

  for (const { asset, members } of groupsOf(sensors, assetNames)) {
    if (asset) {
      rows.push({ top, height: headingHeight, asset, sensors: [] });
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

interface WallGroup {
  asset?: { id: string; name: string };
  members: readonly ListedSensor[];
}

/** Sensors by asset, in the order of the assets' names; those without one come last. */
function groupsOf(
  sensors: readonly ListedSensor[],
  assetNames: ReadonlyMap<string, string> | undefined,
): WallGroup[] {
  if (!assetNames) return [{ members: sensors }];

  const membersById = new Map<string, ListedSensor[]>();
  for (const sensor of sensors) {
    const assetId = sensor.asset_id ?? '';
    const members = membersById.get(assetId) ?? [];
    members.push(sensor);
    membersById.set(assetId, members);
  }

  const groups = [...membersById].map(([id, members]) => {
    const name = id === '' ? 'Without an asset' : (assetNames.get(id) ?? id);
    return { asset: { id, name }, members };
  });
  return groups.sort(({ asset: one }, { asset: other }) => {
    if (one.id === '') return 1;
    return other.id === '' ? -1 : compareTexts(one.name, other.name);
  });
}
