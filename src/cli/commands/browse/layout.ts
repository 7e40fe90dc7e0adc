import { expiresSoon, statusOf } from '../../../core/keys/keys.ts';
import type { Key } from '../../../core/port/keys.ts';
import { counted } from '../../../core/text/words.ts';
import { relativeTime, relativeTimeWidth } from '../../table/shown-time.ts';
import { type Column, createTextTable } from '../../table/table.ts';
import type { Style } from '../../terminal/style.ts';
import { truncated, widthOf, wrapText, wrapWords } from '../../terminal/wrap.ts';
import { refusedText } from '../keys/refused.ts';
import { tileLines, tileRows } from './tile.ts';
import { emptyLines, mostKeys, type PageView } from './view.ts';

export interface PageState {
  searching: boolean;
  /** Whether keys are rows of one line instead of tiles. */
  isList: boolean;
  toast: string;
  /** How many keys the drawn page shows. */
  shown: number;
}

const fewestRows = 12;
const fewestColumns = 24;

/** The lines of the page; if not even the smallest page fits, only the chosen key and the foot. */
export function pageLines(
  view: PageView,
  state: PageState,
  terminalColumns: number,
  rows: number,
  style: Style,
): string[] {
  const columns = Math.max(fewestColumns, terminalColumns);
  const isSmall = rows < fewestRows;
  const isEmpty = view.keys.length === 0;
  const isList = state.isList && !isEmpty && !isSmall;
  const head = isSmall ? [] : headLines(view, state, columns, style);
  const foot = footLines(view, state, columns, style);
  const freeRows = Math.max(0, rows - head.length - foot.length);
  // A blank line if it costs no tile.
  const gap = !isSmall && !isList && (isEmpty || freeRows % tileRows > 0) ? [''] : [];
  const bodyRows = freeRows - gap.length;
  state.shown = Math.max(1, Math.floor(bodyRows / tileRows));
  const empty = isEmpty ? [...emptyLines(view).flatMap((line) => wrapText(line, columns)), ''] : [];
  const listed = isList
    ? rowsFrom(view, state, columns, freeRows, style)
    : tilesFrom(view, columns, bodyRows, style);
  return [...head, ...[...gap, ...empty, ...listed].slice(0, freeRows), ...foot].slice(-rows);
}

/** The place of the page in the settings, and the card that leads to it (promise 3.10). */
export function locationLines(columns: number, style: Style, right: string = ''): string[] {
  const card = ['REST API & Tokens', '·', style.green('Available')].join(' ');
  const isOneLine = right === '' || widthOf(card) + 3 + widthOf(right) <= columns;
  return [
    ...wrapText('Settings › Organization › Integrations › API Keys', columns).map((line) =>
      style.bold(line),
    ),
    ...(isOneLine ? [[card, right].filter(Boolean).join('   ')] : [card, right]),
  ];
}

function headLines(view: PageView, state: PageState, columns: number, style: Style): string[] {
  const control = (letter: string, label: string) => `${style.bold(`[${letter}]`)} ${label}`;
  const controls = [
    ...(view.documentation ? [control('d', 'Documentation')] : []),
    ...(view.mayCreate ? [control('c', 'Create key')] : []),
    ...(view.mayView
      ? [control('i', view.showInactive ? 'Hide inactive keys' : 'Show inactive keys')]
      : []),
    ...(view.mayView ? [control('/', 'Search')] : []),
    ...(state.isList || view.order !== 'newest' ? [control('s', `Sorted: ${view.order}`)] : []),
    ...(state.isList || view.expiringOnly
      ? [control('e', view.expiringOnly ? 'Show all' : 'Only expiring')]
      : []),
  ];
  const search =
    state.searching || view.search !== ''
      ? `Search: ${view.search}${state.searching ? '_' : ''}`
      : '';
  // The end of a long search is the part that is being typed.
  const typed = widthOf(search) > columns ? `…${[...search].slice(2 - columns).join('')}` : search;
  return [
    ...locationLines(columns, style, countsOf(view, style)),
    ...wrapWords(controls, columns, '   '),
    ...(typed === '' ? [] : [truncated(typed, columns)]),
  ];
}

/** How many keys are listed, and how many of them expire soon. */
function countsOf(view: PageView, style: Style): string {
  if (!view.mayView) return '';
  const noun = view.activeOnly ? 'active key' : 'key';
  const keys = `${view.keys.length < mostKeys ? '' : 'the newest '}${counted(view.keys.length, noun)}`;
  const soon = view.keys.filter((key) => expiresSoon(key, view.nowMs)).length;
  const urgent = style.yellow(`${soon} ${soon === 1 ? 'expires' : 'expire'} within 14 days`);
  return soon === 0 ? keys : `${keys}, ${urgent}`;
}

function footLines(view: PageView, state: PageState, columns: number, style: Style): string[] {
  const isEmpty = view.keys.length === 0;
  const place = isEmpty ? [] : [`${view.chosen + 1} of ${view.keys.length}`];
  const keys = state.searching
    ? ['Enter ends the search, Esc clears it']
    : [
        ...(isEmpty ? [] : ['↑↓ choose', state.isList ? '[l] Tiles' : '[l] List']),
        '[?] Help',
        '[q] Quit',
      ];
  return [
    ...wrapWords(state.toast === '' ? [] : state.toast.split(' '), columns).map((text) =>
      style.cyan(text),
    ),
    truncated([...place, ...keys].join('   '), columns),
  ];
}

/** Tiles around the chosen one, as many as fit, the chosen one always whole. */
function tilesFrom(view: PageView, columns: number, freeRows: number, style: Style): string[] {
  const width = Math.min(columns, 120);
  const at = view.chosen;
  const tile = (i: number) => {
    const key = view.keys[i];
    return key ? tileLines(view, key, i === at, width, style) : [];
  };
  const lines = tile(at);
  let before = at - 1;
  let after = at + 1;
  // Half of the rows above, then below, then the rest above: the list does not jump while the user moves down.
  for (
    let more = tile(before);
    more.length > 0 && lines.length + more.length <= freeRows / 2;
    more = tile(--before)
  )
    lines.unshift(...more);
  for (
    let more = tile(after);
    more.length > 0 && lines.length + more.length <= freeRows;
    more = tile(++after)
  )
    lines.push(...more);
  for (
    let more = tile(before);
    more.length > 0 && lines.length + more.length <= freeRows;
    more = tile(--before)
  )
    lines.unshift(...more);
  // The remaining rows show the beginning of the next tile.
  lines.push(...tile(after));
  return lines;
}

/** The list in rows of one line, the chosen one marked, and below them its tile if there is space for both. */
function rowsFrom(
  view: PageView,
  state: PageState,
  columns: number,
  freeRows: number,
  style: Style,
): string[] {
  const width = Math.min(columns, 120);
  const chosen = view.keys[view.chosen];
  const tile = chosen ? tileLines(view, chosen, true, width, style) : [];
  const below = freeRows - tile.length >= leastRows ? tile : [];
  const shown = Math.max(1, freeRows - below.length - 1);
  state.shown = shown;
  const from = Math.max(0, Math.min(view.chosen - Math.floor(shown / 2), view.keys.length - shown));
  const lines: string[] = [];
  const place = {
    style: { bold: style.dim },
    io: { stdout: { columns: () => width - 2 } },
    print: (...more: string[]) => lines.push(...more),
  };
  createTextTable(place, columnsOf(view, style)).print(view.keys.slice(from, from + shown));
  const marked = lines.map((line, i) =>
    from + i - 1 === view.chosen ? `${style.cyan('❯')} ${line}` : `  ${line}`,
  );
  const gap = Array.from({ length: shown + 1 - lines.length }, () => '');
  return [...marked, ...gap, ...below];
}

/** Fewer rows show too little of the list to be worth a tile. */
const leastRows = 7;

/** Widths are those of all keys, so that nothing jumps while the user moves. */
function columnsOf({ activeOnly, nowMs, keys }: PageView, style: Style): Column<Key>[] {
  const refused = keys.map((key) => refusedText(key, nowMs).length);
  const time = (ms: number | null) => (ms === null ? 'Never' : relativeTime(ms, nowMs));
  const codes = keys.map(({ entity }) => entity?.code.length ?? 0);
  const names = keys.map(({ name }) => widthOf(name));
  return [
    { heading: 'PREFIX', width: 8, cell: ({ prefix }) => prefix, paint: style.cyan },
    { heading: 'NAME', width: Math.max(24, ...names), min: 12, cell: ({ name }) => name },
    {
      heading: 'ENTITY',
      width: Math.max(6, ...codes),
      min: 6,
      leaveOut: 3,
      cell: ({ entity }) => entity?.code ?? '-',
    },
    ...(activeOnly
      ? []
      : [{ heading: 'STATUS', width: 7, leaveOut: 1, cell: (key: Key) => statusOf(key, nowMs) }]),
    ...(refused.some((length) => length > 0)
      ? [
          {
            heading: 'ACCESS',
            width: Math.max(...refused),
            cell: (key: Key) => refusedText(key, nowMs),
            paint: style.red,
          },
        ]
      : []),
    {
      heading: 'LAST USED',
      width: relativeTimeWidth,
      leaveOut: 2,
      cell: (key) => time(key.lastUsedAtMs),
    },
    {
      heading: 'EXPIRES',
      width: relativeTimeWidth,
      cell: (key) => time(key.expiresAtMs),
      paint: (text, key) => (expiresSoon(key, nowMs) ? style.yellow(text) : text),
    },
  ];
}
