import { expiresSoon } from '../../../core/keys/attention.ts';
import type { Context } from '../../command/context.ts';
import { counted } from '../../terminal/sentence.ts';
import type { Style } from '../../terminal/style.ts';
import { truncated, widthOf, wrapText, wrapWords } from '../../terminal/wrap.ts';
import { rowsFrom } from './rows.ts';
import { tileLines, tileRows } from './tile.ts';
import { emptyLines, mostKeys, type PageView } from './view.ts';

export interface PageState {
  searching: boolean;
  /** Whether keys are rows of one line instead of tiles. */
  isList: boolean;
  toast: string;
}

/** The size of the terminal; the page needs {@link fewestRows} of them, but a question must be seen on fewer, too. */
export function sizeOf({ io }: Pick<Context, 'io'>): { columns: number; rows: number } {
  return { columns: io.stdout.columns() ?? 80, rows: io.stdout.rows() ?? 24 };
}

const fewestRows = 12;
const fewestColumns = 24;

/** The lines of the page, and how many tiles fit; if not even the smallest page fits, only the chosen key and the foot. */
export function pageLines(
  view: PageView,
  state: PageState,
  context: Pick<Context, 'io' | 'style'>,
): { lines: string[]; shown: number } {
  const { style } = context;
  const { rows, ...size } = sizeOf(context);
  const columns = Math.max(fewestColumns, size.columns);
  const isSmall = rows < fewestRows;
  const head = isSmall ? [] : headLines(view, state, columns, style);
  const foot = footLines(view, state, columns, style);
  const freeRows = Math.max(0, rows - head.length - foot.length);
  const isEmpty = view.keys.length === 0;
  if (state.isList && !isEmpty && !isSmall) {
    const { lines, shown } = rowsFrom(view, columns, freeRows, style);
    return { lines: [...head, ...lines, ...foot], shown };
  }
  // A blank line if it costs no tile.
  const gap = !isSmall && (isEmpty || freeRows % tileRows > 0) ? [''] : [];
  const body = isEmpty
    ? [...emptyLines(view).flatMap((line) => wrapText(line, columns)), '']
    : tilesFrom(view, columns, freeRows - gap.length, style);
  return {
    lines: [...head, ...[...gap, ...body].slice(0, freeRows), ...foot].slice(-rows),
    shown: Math.max(1, Math.floor((freeRows - gap.length) / tileRows)),
  };
}

/** Where the page is in the settings, and the card that leads to it (specification 5.4). */
export function locationLines(columns: number, style: Style, right: string = ''): string[] {
  const card = ['REST API & Tokens', '·', style.green('Available')].join(' ');
  const isOneLine = right === '' || widthOf(card) + 3 + widthOf(right) <= columns;
  return [
    ...wrapText('Settings › Organization › Integrations › API Keys', columns).map((line) => style.bold(line)),
    ...(isOneLine ? [[card, right].filter(Boolean).join('   ')] : [card, right]),
  ];
}

function headLines(view: PageView, state: PageState, columns: number, style: Style): string[] {
  const control = (letter: string, label: string) => `${style.bold(`[${letter}]`)} ${label}`;
  const controls = [
    ...(view.documentation ? [control('d', 'Documentation')] : []),
    ...(view.mayCreate ? [control('c', 'Create key')] : []),
    ...(view.mayView ? [control('i', view.showInactive ? 'Hide inactive keys' : 'Show inactive keys')] : []),
    ...(view.mayView ? [control('/', 'Search')] : []),
    ...(state.isList || view.order !== 'newest' ? [control('s', `Sorted: ${view.order}`)] : []),
    ...(state.isList || view.expiringOnly ? [control('e', view.expiringOnly ? 'Show all' : 'Only expiring')] : []),
  ];
  const search = state.searching || view.search !== '' ? `Search: ${view.search}${state.searching ? '_' : ''}` : '';
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
    : [...(isEmpty ? [] : ['↑↓ choose', state.isList ? '[l] Tiles' : '[l] List']), '[?] Help', '[q] Quit'];
  return [
    ...wrapWords(state.toast === '' ? [] : state.toast.split(' '), columns).map((text) => style.cyan(text)),
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
  for (let more = tile(before); more.length > 0 && lines.length + more.length <= freeRows / 2; more = tile(--before))
    lines.unshift(...more);
  for (let more = tile(after); more.length > 0 && lines.length + more.length <= freeRows; more = tile(++after))
    lines.push(...more);
  for (let more = tile(before); more.length > 0 && lines.length + more.length <= freeRows; more = tile(--before))
    lines.unshift(...more);
  // The remaining rows show the beginning of the next tile.
  lines.push(...tile(after));
  return lines;
}
