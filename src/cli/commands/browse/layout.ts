import { expiresSoon, statusOf } from '../../../core/keys/keys.ts';
import type { Key } from '../../../core/port/keys.ts';
import { counted } from '../../../core/text/words.ts';
import { relativeTime, relativeTimeWidth } from '../../table/shown-time.ts';
import { type Column, createTextTable } from '../../table/table.ts';
import type { Style } from '../../terminal/style.ts';
import { truncated, widthOf, wrapText, wrapWords } from '../../terminal/wrap.ts';
import { refusedText } from '../keys/shown-keys.ts';
import { tileLines, tileRows } from './tile.ts';
import { emptyLines, mostKeys, type PageView } from './view.ts';

export interface PageState {
  searching: boolean;
  /** Whether keys are rows of one line instead of tiles. */
  isList: boolean;
  toast: string;
  /** How many keys the drawn page shows. */
  shownCount: number;
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
  const hasGap = !isSmall && !isList && (isEmpty || freeRows % tileRows > 0);
  const gapLines = hasGap ? [''] : [];
  const bodyRows = freeRows - gapLines.length;
  state.shownCount = Math.max(1, Math.floor(bodyRows / tileRows));
  const emptyText = isEmpty ? emptyLines(view).flatMap((line) => wrapText(line, columns)) : [];
  if (isEmpty) emptyText.push('');
  const keyLines = isList
    ? listAround(view, state, columns, freeRows, style)
    : tilesAround(view, columns, bodyRows, style);
  const body = [...gapLines, ...emptyText, ...keyLines].slice(0, freeRows);
  return [...head, ...body, ...foot].slice(-rows);
}

/** The place of the page in the settings, and the card that leads to it (promise 3.10). */
export function locationLines(columns: number, style: Style, rightText: string = ''): string[] {
  const cardText = ['REST API & Tokens', '·', style.green('Available')].join(' ');
  const isOneLine = rightText === '' || widthOf(cardText) + 3 + widthOf(rightText) <= columns;
  const pathLines = wrapText('Settings › Organization › Integrations › API Keys', columns);
  const cardLines = isOneLine
    ? [[cardText, rightText].filter(Boolean).join('   ')]
    : [cardText, rightText];
  return [...pathLines.map((line) => style.bold(line)), ...cardLines];
}

function headLines(view: PageView, state: PageState, columns: number, style: Style): string[] {
  const control = (letter: string, label: string) => `${style.bold(`[${letter}]`)} ${label}`;
  const controls: string[] = [];
  if (view.documentation) controls.push(control('d', 'Documentation'));
  if (view.mayCreate) controls.push(control('c', 'Create key'));
  if (view.mayView) {
    controls.push(control('i', view.showInactive ? 'Hide inactive keys' : 'Show inactive keys'));
    controls.push(control('/', 'Search'));
  }
  if (state.isList || view.order !== 'newest') controls.push(control('s', `Sorted: ${view.order}`));
  if (state.isList || view.expiringOnly)
    controls.push(control('e', view.expiringOnly ? 'Show all' : 'Only expiring'));

  return [
    ...locationLines(columns, style, countsOf(view, style)),
    ...wrapWords(controls, columns, '   '),
    ...searchLines(view, state, columns),
  ];
}

/** The search, if there is one; of a long one the end, which is the part that is being typed. */
function searchLines(view: PageView, state: PageState, columns: number): string[] {
  if (!state.searching && view.search === '') return [];
  const search = `Search: ${view.search}${state.searching ? '_' : ''}`;
  const searchEnd = [...search].slice(2 - columns).join('');
  return [truncated(widthOf(search) > columns ? `…${searchEnd}` : search, columns)];
}

/** How many keys are listed, and how many of them expire soon. */
function countsOf(view: PageView, style: Style): string {
  if (!view.mayView) return '';
  const keyNoun = view.activeOnly ? 'active key' : 'key';
  const prefix = view.keys.length < mostKeys ? '' : 'the newest ';
  const countText = `${prefix}${counted(view.keys.length, keyNoun)}`;
  const expiringCount = view.keys.filter((key) => expiresSoon(key, view.nowMs)).length;
  if (expiringCount === 0) return countText;

  const verb = expiringCount === 1 ? 'expires' : 'expire';
  return `${countText}, ${style.yellow(`${expiringCount} ${verb} within 14 days`)}`;
}

function footLines(view: PageView, state: PageState, columns: number, style: Style): string[] {
  const isEmpty = view.keys.length === 0;
  const toastWords = state.toast === '' ? [] : state.toast.split(' ');
  const toastLines = wrapWords(toastWords, columns).map((line) => style.cyan(line));

  const hints = isEmpty ? [] : [`${view.chosen + 1} of ${view.keys.length}`];
  if (state.searching) hints.push('Enter ends the search, Esc clears it');
  else {
    if (!isEmpty) hints.push('↑↓ choose', state.isList ? '[l] Tiles' : '[l] List');
    hints.push('[?] Help', '[q] Quit');
  }
  return [...toastLines, truncated(hints.join('   '), columns)];
}

/** Tiles around the chosen one, as many as fit, the chosen one always whole. */
function tilesAround(view: PageView, columns: number, freeRows: number, style: Style): string[] {
  const width = Math.min(columns, 120);
  const tileAt = (keyIndex: number) => {
    const key = view.keys[keyIndex];
    return key ? tileLines(view, key, keyIndex === view.chosen, width, style) : [];
  };
  const lines = tileAt(view.chosen);
  let indexAbove = view.chosen - 1;
  let indexBelow = view.chosen + 1;
  const addAbove = (mostRows: number) => {
    for (;;) {
      const tile = tileAt(indexAbove);
      if (tile.length === 0 || lines.length + tile.length > mostRows) return;
      lines.unshift(...tile);
      indexAbove--;
    }
  };
  const addBelow = (mostRows: number) => {
    for (;;) {
      const tile = tileAt(indexBelow);
      if (tile.length === 0 || lines.length + tile.length > mostRows) return;
      lines.push(...tile);
      indexBelow++;
    }
  };

  // Half of the rows above, then below, then the rest above: the list does not jump while the user moves down.
  addAbove(freeRows / 2);
  addBelow(freeRows);
  addAbove(freeRows);
  // The remaining rows show the beginning of the next tile.
  lines.push(...tileAt(indexBelow));
  return lines;
}

/** The list in rows of one line, the chosen one marked, and below them its tile if there is space for both. */
function listAround(
  view: PageView,
  state: PageState,
  columns: number,
  freeRows: number,
  style: Style,
): string[] {
  const width = Math.min(columns, 120);
  const chosenKey = view.keys[view.chosen];
  const chosenTile = chosenKey ? tileLines(view, chosenKey, true, width, style) : [];
  const tileBelow = freeRows - chosenTile.length >= leastRows ? chosenTile : [];
  const shownRows = Math.max(1, freeRows - tileBelow.length - 1);
  state.shownCount = shownRows;
  const centredIndex = view.chosen - Math.floor(shownRows / 2);
  const startIndex = Math.max(0, Math.min(centredIndex, view.keys.length - shownRows));

  const lines: string[] = [];
  const tableOutput = {
    style: { bold: style.dim },
    io: { stdout: { columns: () => width - 2 } },
    print: (...printed: string[]) => lines.push(...printed),
  };
  createTextTable(tableOutput, columnsOf(view, style)).print(
    view.keys.slice(startIndex, startIndex + shownRows),
  );
  // The first line holds the headings.
  const markedLines = lines.map((line, lineIndex) => {
    const isChosen = startIndex + lineIndex - 1 === view.chosen;
    return `${isChosen ? style.cyan('❯') : ' '} ${line}`;
  });
  const blankLines = Array.from({ length: shownRows + 1 - lines.length }, () => '');
  return [...markedLines, ...blankLines, ...tileBelow];
}

/** Fewer rows show too little of the list to be worth a tile. */
const leastRows = 7;

/** Widths are those of all keys, so that nothing jumps while the user moves. */
function columnsOf({ activeOnly, nowMs, keys }: PageView, style: Style): Column<Key>[] {
  const refusedWidths = keys.map((key) => refusedText(key, nowMs).length);
  const codeWidths = keys.map(({ entity }) => entity?.code.length ?? 0);
  const nameWidths = keys.map(({ name }) => widthOf(name));
  const timeText = (instantMs: number | null) =>
    instantMs === null ? 'Never' : relativeTime(instantMs, nowMs);

  const columns: Column<Key>[] = [
    { heading: 'PREFIX', width: 8, cell: ({ prefix }) => prefix, paint: style.cyan },
    { heading: 'NAME', width: Math.max(24, ...nameWidths), min: 12, cell: ({ name }) => name },
    {
      heading: 'ENTITY',
      width: Math.max(6, ...codeWidths),
      min: 6,
      leaveOut: 3,
      cell: ({ entity }) => entity?.code ?? '-',
    },
  ];
  if (!activeOnly)
    columns.push({
      heading: 'STATUS',
      width: 7,
      leaveOut: 1,
      cell: (key) => statusOf(key, nowMs),
    });
  if (refusedWidths.some((width) => width > 0))
    columns.push({
      heading: 'ACCESS',
      width: Math.max(...refusedWidths),
      cell: (key) => refusedText(key, nowMs),
      paint: style.red,
    });
  columns.push(
    {
      heading: 'LAST USED',
      width: relativeTimeWidth,
      leaveOut: 2,
      cell: (key) => timeText(key.lastUsedAtMs),
    },
    {
      heading: 'EXPIRES',
      width: relativeTimeWidth,
      cell: (key) => timeText(key.expiresAtMs),
      paint: (text, key) => (expiresSoon(key, nowMs) ? style.yellow(text) : text),
    },
  );
  return columns;
}
