import { expiresSoon } from '../../../core/keys/attention.ts';
import { statusOf } from '../../../core/keys/keys.ts';
import type { Key } from '../../../core/port/keys.ts';
import { relativeTime, relativeTimeWidth } from '../../table/relative-time.ts';
import { type Column, createTable } from '../../table/table.ts';
import type { Style } from '../../terminal/style.ts';
import { widthOf } from '../../terminal/wrap.ts';
import { tileLines } from './tile.ts';
import type { PageView } from './view.ts';

/** The list in rows of one line, the chosen one marked, and below them its tile if there is space for both. */
export function rowsFrom(
  view: PageView,
  columns: number,
  freeRows: number,
  style: Style,
): { lines: string[]; shown: number } {
  const width = Math.min(columns, 120);
  const chosen = view.keys[view.chosen];
  const tile = chosen ? tileLines(view, chosen, true, width, style) : [];
  const below = freeRows - tile.length >= leastRows ? tile : [];
  const shown = Math.max(1, freeRows - below.length - 1);
  const from = Math.max(0, Math.min(view.chosen - Math.floor(shown / 2), view.keys.length - shown));
  const lines: string[] = [];
  const place = {
    style: { bold: style.dim },
    io: { stdout: { isTTY: true, columns: () => width - 2 } },
    print: (...more: string[]) => lines.push(...more),
  };
  createTable(place, columnsOf(view, style)).print(view.keys.slice(from, from + shown));
  const marked = lines.map((line, i) => (from + i - 1 === view.chosen ? `${style.cyan('❯')} ${line}` : `  ${line}`));
  const gap = Array.from({ length: shown + 1 - lines.length }, () => '');
  return { lines: [...marked, ...gap, ...below], shown };
}

/** Fewer rows show too little of the list to be worth a tile. */
const leastRows = 7;

/** Widths are those of all keys, so that nothing jumps while the user moves. */
function columnsOf({ activeOnly, nowMs, keys }: PageView, style: Style): Column<Key>[] {
  const time = (ms: number | null) => (ms === null ? 'Never' : relativeTime(ms, nowMs));
  const codes = keys.map(({ entity }) => entity?.code.length ?? 0);
  const names = keys.map(({ name }) => widthOf(name));
  return [
    { heading: 'PREFIX', width: 8, cell: ({ prefix }) => prefix, paint: style.cyan },
    { heading: 'NAME', width: Math.max(24, ...names), min: 12, cell: ({ name }) => name },
    { heading: 'ENTITY', width: Math.max(6, ...codes), min: 6, leaveOut: 3, cell: ({ entity }) => entity?.code ?? '-' },
    ...(activeOnly ? [] : [{ heading: 'STATUS', width: 7, leaveOut: 1, cell: (key: Key) => statusOf(key, nowMs) }]),
    { heading: 'LAST USED', width: relativeTimeWidth, leaveOut: 2, cell: (key) => time(key.lastUsedAtMs) },
    {
      heading: 'EXPIRES',
      width: relativeTimeWidth,
      cell: (key) => time(key.expiresAtMs),
      paint: (text, key) => (expiresSoon(key, nowMs) ? style.yellow(text) : text),
    },
  ];
}
