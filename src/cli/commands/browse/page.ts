import type { Actor } from '../../../core/domain/actors.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import { errorTable, isHkctlError } from '../../../core/errors.ts';
import type { Context } from '../../command/context.ts';
import type { FlagValues } from '../../command/flags.ts';
import { createDialog } from '../../prompts/dialog.ts';
import { edited, toEditedLine } from '../../prompts/line-editor.ts';
import { isCancelKey, type Keypress } from '../../terminal/keypress.ts';
import { openScreen, type Screen } from '../../terminal/screen.ts';
import { grouped, messageWithHint } from '../../terminal/sentence.ts';
import type { Style } from '../../terminal/style.ts';
import { padded, wrapText } from '../../terminal/wrap.ts';
import type { listFlags } from '../keys/list.ts';
import { createHere, openDocumentation, revokeHere, rotateHere } from './actions.ts';
import { locationLines, type PageState, pageLines, sizeForQuestions, sizeOf } from './layout.ts';
import { mostSorted, orders } from './sorted.ts';
import { chosenPlace, createPageReader, offersOf, type PageSettings, type PageView, placeAt } from './view.ts';

interface Page {
  context: Context;
  domain: Domain;
  actor: Actor;
  screen: Screen;
  /** Its `at` is the place of the chosen key. */
  settings: PageSettings;
  state: PageState;
  /** Whether there was a search: from then on Esc clears searches and does not quit, so that one Esc too many does no harm. */
  hasSearched: boolean;
}

export type PageOptions = FlagValues<typeof listFlags> & { baseUrl?: string };

/** How many keys to read around the chosen one: more than a screen shows. */
const windowSize = { above: 30, below: 60 };

/** The settings page of keys, drawn on the alternate screen (specification 5.4). */
export async function browsePage(context: Context, given: PageOptions): Promise<void> {
  const { domain, actor } = await context.session();
  const readPage = createPageReader(domain, actor);
  const { baseUrl, all: showInactive, search = '' } = given;
  const choices = { showInactive, search, order: 'newest', expiringOnly: false } as const;
  const settings: PageSettings = { ...choices, given, baseUrl, at: 'start', ...windowSize };
  const screen = openScreen(context.io);
  const state: PageState = { searching: false, isList: false, toast: '' };
  const page: Page = { context, domain, actor, screen, settings, state, hasSearched: search !== '' };
  try {
    let view = await readPage(settings);
    for (;;) {
      const { lines, shown } = pageLines(view, state, context);
      screen.draw(lines);
      const event = await screen.next();
      if (event === 'signal' || event === 'end') return;
      if (event !== 'resize') {
        state.toast = '';
        if (await press(page, view, event, shown)) return;
      }
      // While more typed characters wait, the list is not read: fast typing causes one read at its end.
      if (state.searching && screen.hasMore()) view = { ...view, search: settings.search };
      else {
        await context.requireUnchangedActor();
        view = await readPage(settings);
      }
      if (typeof settings.at !== 'string') settings.at = { ...settings.at, number: view.offset + view.chosen };
    }
  } finally {
    screen.close();
  }
}

/** Handles a key; returns whether it quits. */
async function press(page: Page, view: PageView, event: Keypress, shown: number): Promise<boolean> {
  const { settings, state } = page;
  const isCancel = isCancelKey(event);
  const isEscape = isCancel && !event.ctrl;
  // Every cancel key ends a search that is being typed, as in any other question.
  if (isCancel && (state.searching || (isEscape && page.hasSearched))) {
    clearSearch(page, view);
    return false;
  }
  if (state.searching) typeSearch(page, event);
  else if (event.name === 'q' || isCancel) return true;
  else if (event.text === '?') await showHelp(page, view);
  else if (!choose(settings, view, event, shown)) await act(page, view, event);
  return false;
}

/** Ends a search; the chosen key stays chosen among all keys. */
function clearSearch({ settings, state }: Page, view: PageView): void {
  if (!state.searching && settings.search === '') state.toast = 'No search to clear; q quits.';
  else settings.at = chosenPlace(view);
  state.searching = false;
  settings.search = '';
}

function typeSearch(page: Page, event: Keypress): void {
  const { settings, state } = page;
  if (event.name === 'return' || event.name === 'enter') {
    state.searching = false;
    return;
  }
  settings.search = edited(toEditedLine(settings.search), event).characters.join('');
  settings.at = 'start';
}

async function showHelp({ context, screen }: Page, view: PageView): Promise<void> {
  for (;;) {
    const { columns } = sizeOf(context);
    screen.draw([...locationLines(columns, context.style), '', ...helpLines(view, columns, context.style)]);
    const event = await screen.next();
    if (event === 'resize') continue;
    if (event === 'signal' || event === 'end') screen.unread(event);
    return;
  }
}

/** Handles the keys that move the choice; returns whether it was one of them. */
function choose(settings: PageSettings, view: PageView, event: Keypress, shown: number): boolean {
  const steps: Record<string, number> = { up: -1, k: -1, down: 1, j: 1, pageup: -shown, pagedown: shown };
  const step = steps[event.name];
  if (step !== undefined) settings.at = placeAt(view, view.chosen + step);
  else if (event.name === 'home') settings.at = 'start';
  else if (event.name === 'end') settings.at = 'end';
  else return false;
  return true;
}

async function act(page: Page, view: PageView, event: Keypress): Promise<void> {
  const { context, domain, actor, settings, state } = page;
  const key = view.keys[view.chosen];
  const offers = key && offersOf(view, key);
  if (event.text === '/' && view.mayView) {
    state.searching = true;
    page.hasSearched = true;
  } else if (event.name === 'i' && view.mayView) {
    settings.showInactive = !settings.showInactive;
    settings.at = chosenPlace(view);
  } else if (event.name === 'l') {
    state.isList = !state.isList;
  } else if (event.name === 'e' && view.mayView) {
    settings.expiringOnly = !settings.expiringOnly;
    settings.at = chosenPlace(view);
  } else if (event.name === 's' && view.mayView) {
    if (view.total > mostSorted) state.toast = `Only up to ${grouped(mostSorted)} keys are sorted: search first.`;
    else settings.order = orders[(orders.indexOf(settings.order) + 1) % orders.length] ?? 'newest';
    settings.at = chosenPlace(view);
  } else if (event.name === 'd' && view.documentation) {
    state.toast = await openDocumentation(context, view.documentation);
  } else if (event.name === 'c' && view.mayCreate) {
    state.toast = await asking(page, 'Create key', (inner) => createHere(inner, domain, actor, settings.baseUrl));
    settings.at = 'start';
  } else if (event.name === 'r' && key && offers?.rotate === 'offered') {
    state.toast = await asking(page, '', (inner) => rotateHere(inner, domain, actor, key, settings.baseUrl));
    settings.at = 'start';
  } else if (event.name === 'v' && key && offers?.revoke) {
    state.toast = await asking(page, '', (inner) => revokeHere(inner, domain, actor, key));
  }
}

/** Runs an action whose questions are asked on the page's screen; a refusal or cancellation becomes the toast. */
async function asking(
  { context, screen }: Page,
  title: string,
  work: (inner: Context) => Promise<string>,
): Promise<string> {
  const { style } = context;
  const asker = createDialog({
    screen,
    style,
    size: () => sizeForQuestions(context),
    head: (columns) => [...locationLines(columns, style), '', ...(title === '' ? [] : [style.bold(title)])],
  });
  try {
    // The toast reports the success; lines on the normal screen would only flash.
    return await work({ ...context, io: { ...context.io, asker }, say: () => {} });
  } catch (thrown) {
    if (!isHkctlError(thrown) || errorTable[thrown.code].exit === 6) throw thrown;
    return thrown.code === 'cancelled' ? 'Cancelled' : messageWithHint(thrown);
  }
}

function helpLines(view: PageView, columns: number, style: Style): string[] {
  const keys: [keys: string, effect: string][] = [
    ['↑ ↓', 'choose a key (also j and k)'],
    ['PgUp PgDn', 'one page up or down'],
    ['Home End', 'first or last key'],
    ...entry(view.mayView, '/', 'search name, note, prefix and entity; Esc clears the search'),
    ...entry(view.mayView, 'i', 'show or hide inactive keys'),
    ...entry(view.mayView, 'e', 'show only keys that expire within 14 days, or all'),
    ...entry(view.mayView, 's', 'sort by expiry, last use, name, or the newest first'),
    ...entry(view.mayView, 'l', 'a list with a line for each key, or tiles'),
    ...entry(view.mayCreate, 'c', 'create a key'),
    ...entry(view.mayRotate, 'r', 'rotate the chosen key: a new secret, the old one stops at once'),
    ...entry(view.mayRevoke, 'v', 'revoke the chosen key: access stops at once'),
    ...entry(view.documentation !== undefined, 'd', 'open the documentation of the API'),
    ['q', 'quit'],
  ];
  const width = 11;
  return [
    style.bold('Keys of this page'),
    ...keys.flatMap(([name, effect]) => {
      const [first = '', ...more] = wrapText(effect, columns - width);
      return [style.bold(padded(name, width)) + first, ...more.map((line) => ' '.repeat(width) + line)];
    }),
    style.dim('Any key goes back.'),
  ];
}

function entry(when: boolean, name: string, effect: string): [string, string][] {
  return when ? [[name, effect]] : [];
}
