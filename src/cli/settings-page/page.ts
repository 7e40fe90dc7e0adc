import type { Actor, Domain } from '../../core/access/actors.ts';
import { errorTable, isHkctlError } from '../../core/errors.ts';
import type { listFlags } from '../commands/keys/list.ts';
import type { Context } from '../context.ts';
import type { FlagValues } from '../flags.ts';
import { isCancelKey, type Keypress } from '../terminal/keypress.ts';
import { openScreen, type Screen } from '../terminal/screen.ts';
import { messageWithHint } from '../terminal/sentence.ts';
import type { Style } from '../terminal/style.ts';
import { wrapText, wrapWords } from '../terminal/wrap.ts';
import { createHere, openDocumentation, revokeHere, rotateHere } from './actions.ts';
import { tileLines } from './tile.ts';
import { createPageReader, emptyLines, offersOf, type PageSettings, type PageView, type Place } from './view.ts';

/** The state of the page between pressed keys. */
interface PageState {
  /** Its `at` is the place of the chosen key. */
  settings: PageSettings;
  /** Whether the user is typing a search. */
  searching: boolean;
  toast: string;
}

/** The options of the page on the command line. */
export type PageOptions = FlagValues<typeof listFlags> & { baseUrl?: string };

/** The settings page of keys, drawn on the alternate screen (specification 5.4). */
export async function browsePage(context: Context, given: PageOptions): Promise<void> {
  const { domain, actor } = await context.session();
  const readPage = createPageReader(domain, actor);
  const settings: PageSettings = {
    showInactive: given.all,
    search: given.search ?? '',
    given,
    baseUrl: given.baseUrl,
    at: 'start',
    ...windowSize,
  };
  const state: PageState = { settings, searching: false, toast: '' };
  const screen = openScreen(context.io);
  try {
    let view = await readPage(state.settings);
    for (;;) {
      const { lines, shown } = render(view, state, context);
      screen.draw(lines);
      const event = await screen.next();
      if (event === 'signal' || event === 'end') return;
      if (event !== 'resize') {
        state.toast = '';
        const leaves = isCancelKey(event);
        if (state.searching && !(leaves && event.ctrl)) typeSearch(state, event);
        else if (event.name === 'q' || leaves) return;
        else await act(context, domain, actor, state, view, screen, event, shown);
      }
      // While more typed characters wait, the list is not read: fast typing causes one read at its end.
      view =
        state.searching && screen.hasMore()
          ? { ...view, search: state.settings.search }
          : await readPage(state.settings);
    }
  } finally {
    screen.close();
  }
}

/** How many keys to read around the chosen one: more than a screen shows. */
const windowSize = { above: 30, below: 60 };

/** The lines of the page, and how many tiles fit. */
export function render(
  view: PageView,
  state: Pick<PageState, 'searching' | 'toast'>,
  context: Pick<Context, 'io' | 'style'>,
): { lines: string[]; shown: number } {
  const { style } = context;
  const columns = Math.max(24, context.io.stdout.columns() ?? 80);
  const rows = Math.max(12, context.io.stdout.rows() ?? 24);
  const head = headLines(view, state, columns, style);
  const foot = footLines(view, state, columns, style);
  const freeRows = rows - head.length - foot.length;
  const body =
    view.keys.length === 0
      ? emptyLines(view).flatMap((line) => wrapText(line, columns))
      : tilesFrom(view, columns, freeRows, style);
  return { lines: [...head, ...body.slice(0, freeRows), ...foot], shown: Math.max(1, Math.floor(freeRows / 9)) };
}

function headLines(view: PageView, state: Pick<PageState, 'searching'>, columns: number, style: Style): string[] {
  const controls = [
    ...(view.documentation ? [`${style.bold('[d]')} Documentation`] : []),
    ...(view.mayCreate ? [`${style.bold('[c]')} Create key`] : []),
    ...(view.mayView
      ? [`${style.bold('[i]')} ${view.showInactive ? 'Hide inactive keys' : 'Show inactive keys'}`]
      : []),
    ...(view.mayView ? [`${style.bold('[/]')} Search`] : []),
    `${style.bold('[q]')} Quit`,
  ];
  const search = state.searching || view.search !== '' ? [`Search: ${view.search}${state.searching ? '_' : ''}`] : [];
  return [
    ...wrapText('Settings › Organization › Integrations › API Keys', columns).map((line) => style.bold(line)),
    ...wrapWords(controls, columns, '   '),
    ...search,
    '',
  ];
}

function footLines(
  view: PageView,
  state: Pick<PageState, 'toast' | 'searching'>,
  columns: number,
  style: Style,
): string[] {
  const place = view.total === 0 ? '' : `${view.offset + view.chosen + 1} of ${view.total}`;
  const moves = state.searching ? 'Enter ends the search, Esc clears it' : '↑ ↓ choose, PgUp PgDn page, Home End';
  const line = view.total === 0 && !state.searching ? '' : [place, moves].filter((text) => text !== '').join('   ');
  return [
    ...wrapWords(state.toast === '' ? [] : state.toast.split(' '), columns).map((text) => style.cyan(text)),
    line.slice(0, columns),
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

function typeSearch(state: PageState, event: Keypress): void {
  if (isCancelKey(event)) {
    state.searching = false;
    state.settings.search = '';
  } else if (event.name === 'return' || event.name === 'enter') state.searching = false;
  else if (event.name === 'backspace') state.settings.search = state.settings.search.slice(0, -1);
  else if (!event.ctrl && /^[^\p{Cc}]+$/u.test(event.text)) state.settings.search += event.text;
  state.settings.at = 'start';
}

async function act(
  context: Context,
  domain: Domain,
  actor: Actor,
  state: PageState,
  view: PageView,
  screen: Screen,
  event: Keypress,
  shown: number,
): Promise<void> {
  const key = view.keys[view.chosen];
  const offers = key && offersOf(view, key);
  const steps: Record<string, number> = { up: -1, k: -1, down: 1, j: 1, pageup: -shown, pagedown: shown };
  const step = steps[event.name];
  if (step !== undefined) state.settings.at = placeAt(view, view.chosen + step);
  else if (event.name === 'home') state.settings.at = 'start';
  else if (event.name === 'end') state.settings.at = 'end';
  else if (event.text === '/' && view.mayView) state.searching = true;
  else if (event.name === 'i' && view.mayView) {
    state.settings.showInactive = !state.settings.showInactive;
    state.settings.at = 'start';
  } else if (event.name === 'd' && view.documentation)
    state.toast = await openDocumentation(context, view.documentation);
  else if (event.name === 'c' && view.mayCreate) {
    state.toast = await below(screen, () => createHere(context, domain, actor, state.settings.baseUrl));
    state.settings.at = 'start';
  } else if (event.name === 'r' && key && offers?.rotate === 'offered') {
    state.toast = await below(screen, () => rotateHere(context, domain, actor, key, state.settings.baseUrl));
    state.settings.at = 'start';
  } else if (event.name === 'v' && key && offers?.revoke) {
    state.toast = await below(screen, () => revokeHere(context, domain, actor, key));
  }
}

/** The place of a read key by its index, clamped to the first and last of them. */
function placeAt({ keys, offset }: PageView, index: number): Place {
  const at = Math.max(0, Math.min(index, keys.length - 1));
  const key = keys[at];
  return key ? { key, number: offset + at } : 'start';
}

/** Leaves the page for questions and the panel; a refusal or cancellation becomes the toast. */
async function below(screen: Screen, work: () => Promise<string>): Promise<string> {
  screen.suspend();
  try {
    return await work();
  } catch (thrown) {
    if (!isHkctlError(thrown) || errorTable[thrown.code].exit === 6) throw thrown;
    return thrown.code === 'cancelled' ? 'Cancelled' : messageWithHint(thrown);
  } finally {
    screen.resume();
  }
}
