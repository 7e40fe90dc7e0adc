import type { Context } from '../../command/context.ts';
import { counted } from '../../terminal/sentence.ts';
import type { Style } from '../../terminal/style.ts';
import { truncated, widthOf, wrapText, wrapWords } from '../../terminal/wrap.ts';
import { rowsFrom } from './rows.ts';
import { tileLines, tileRows } from './tile.ts';
import { emptyLines, type PageView } from './view.ts';

export interface PageState {
  searching: boolean;
  /** Whether keys are rows of one line instead of tiles. */
  isList: boolean;
  toast: string;
}

/** The size of the terminal, at least what the page needs to be readable. */
export function sizeOf({ io }: Pick<Context, 'io'>): { columns: number; rows: number } {
  return { columns: Math.max(24, io.stdout.columns() ?? 80), rows: Math.max(12, io.stdout.rows() ?? 24) };
}

/** The size of the terminal, however small: a question must be seen there, too. */
export function sizeForQuestions({ io }: Pick<Context, 'io'>): { columns: number; rows: number } {
  return { columns: io.stdout.columns() ?? 80, rows: io.stdout.rows() ?? 24 };
}

/** The lines of the page, and how many tiles fit; if not even the smallest page fits, only the chosen key and the foot. */
export function pageLines(
  view: PageView,
  state: PageState,
  context: Pick<Context, 'io' | 'style'>,
): { lines: string[]; shown: number } {
  const { style } = context;
  const { columns, rows } = sizeOf(context);
  const head = headLines(view, state, columns, style);
  const foot = footLines(view, state, columns, style);
  const { rows: seenRows } = sizeForQuestions(context);
  if (seenRows < rows) {
    const first =
      view.keys.length === 0
        ? emptyLines(view).flatMap((line) => wrapText(line, columns))
        : tilesFrom(view, columns, 1, style);
    return { lines: [...first.slice(0, Math.max(0, seenRows - foot.length)), ...foot].slice(-seenRows), shown: 1 };
  }
  const freeRows = rows - head.length - foot.length;
  if (state.isList && view.keys.length > 0) {
    const { lines, shown } = rowsFrom(view, columns, freeRows, style);
    return { lines: [...head, ...lines, ...foot], shown };
  }
  // A blank line if it costs no tile.
  const gap = view.keys.length === 0 || freeRows % tileRows > 0 ? [''] : [];
  const bodyRows = freeRows - gap.length;
  const body =
    view.keys.length === 0
      ? [...emptyLines(view).flatMap((line) => wrapText(line, columns)), '']
      : tilesFrom(view, columns, bodyRows, style);
  return {
    lines: [...head, ...gap, ...body.slice(0, bodyRows), ...foot],
    shown: Math.max(1, Math.floor(bodyRows / tileRows)),
  };
}

/** Where the page is in the settings, and the card that leads to it (specification 5.4). */
export function locationLines(columns: number, style: Style, right: string = ''): string[] {
  const card = ['REST API & Tokens', '·', style.green('Available')].join(' ');
  return [
    ...wrapText('Settings › Organization › Integrations › API Keys', columns).map((line) => style.bold(line)),
    ...(right === '' || widthOf(card) + 3 + widthOf(right) <= columns
      ? [right === '' ? card : `${card}   ${right}`]
      : [card, right]),
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
  const keys = counted(view.total, view.activeOnly ? 'active key' : 'key');
  const { expiringSoon: soon } = view;
  const urgent = style.yellow(`${soon} ${soon === 1 ? 'expires' : 'expire'} within 14 days`);
  return soon === 0 ? keys : `${keys}, ${urgent}`;
}

function footLines(view: PageView, state: PageState, columns: number, style: Style): string[] {
  const place = view.total === 0 ? [] : [`${view.offset + view.chosen + 1} of ${view.total}`];
  const keys = state.searching
    ? ['Enter ends the search, Esc clears it']
    : [...(view.total === 0 ? [] : ['↑↓ choose', state.isList ? '[l] Tiles' : '[l] List']), '[?] Help', '[q] Quit'];
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
