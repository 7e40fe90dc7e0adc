import { statusOf } from '../../../core/keys/keys.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { Context } from '../../command/context.ts';
import type { StoreSession } from '../../command/store-access.ts';
import { editedText } from '../../prompts/line-editor.ts';
import type { Screen } from '../../terminal/interaction.ts';
import { isCancelKey, isEnter, type Keypress } from '../../terminal/keypress.ts';
import { openScreen } from '../../terminal/screen.ts';
import type { Style } from '../../terminal/style.ts';
import { padded, wrapLabelled } from '../../terminal/wrap.ts';
import { openDocumentation, outcomeOf, runAction } from './actions.ts';
import { createDialog } from './dialog.ts';
import { locationLines, type PageState, pageLines } from './layout.ts';
import {
  type Choices,
  createKeyPageReader,
  firstChoices,
  keyOrders,
  type PageOptions,
  type PageView,
} from './view.ts';

interface Page extends PageState {
  context: Context;
  options: PageOptions;
  screen: Screen;
  view: PageView;
  choices: Choices;
  /** The chosen key, by default the first one. */
  at: Key | undefined;
  /** The key that was chosen before the search that is being typed; Esc chooses it again. */
  atBeforeSearch: Key | undefined;
  /** Whether there was a search: from then on Esc clears searches and does not quit, so that one Esc too many does no harm. */
  hasSearched: boolean;
}

/** The settings page of keys, drawn on the alternate screen (promise 3.10). */
export async function browsePage(
  context: Context,
  { domain, actor }: StoreSession,
  options: PageOptions,
): Promise<void> {
  const readPage = createKeyPageReader(domain, actor, options);
  const choices = firstChoices(options);
  const view = await readPage(choices);
  const screen = openScreen(context.io);
  const state: PageState = { searching: false, isList: false, toast: '', shown: 1 };
  const page: Page = {
    ...state,
    context,
    options,
    screen,
    view,
    choices,
    at: undefined,
    atBeforeSearch: undefined,
    hasSearched: choices.search !== '',
  };
  try {
    for (;;) {
      screen.draw((columns, rows) => pageLines(page.view, page, columns, rows, context.style));
      const event = await screen.next();
      if (event === 'signal' || event === 'end') return;
      page.toast = '';
      if (await press(page, event)) return;
      // While more typed characters wait, the list is not read: fast typing causes one read at its end.
      if (page.searching && screen.hasMore()) page.view = { ...page.view, search: choices.search };
      else {
        await context.requireUnchangedActor();
        page.view = await readPage(choices, page.at);
      }
      if (page.at) page.at = page.view.keys[page.view.chosen];
    }
  } finally {
    screen.close();
  }
}

/** Handles a key; returns whether it quits. */
async function press(page: Page, event: Keypress): Promise<boolean> {
  const { choices, view } = page;
  const { keys, chosen } = view;
  const isCancel = isCancelKey(event);
  // Every cancel key ends a search that is being typed, as in any other question.
  if (isCancel && (page.searching || (page.hasSearched && !event.ctrl))) {
    if (!page.searching && choices.search === '') page.toast = 'No search to clear; q quits.';
    page.at = page.searching ? page.atBeforeSearch : keys[chosen];
    page.searching = false;
    choices.search = '';
  } else if (page.searching) {
    page.searching = !isEnter(event);
    if (!page.searching) return false;
    choices.search = editedText(choices.search, event);
    page.at = undefined;
  } else if (event.name === 'q' || isCancel) return true;
  else if (event.name === '?') await showHelp(page);
  else {
    const step = stepOf(event, page);
    const place = Math.max(0, Math.min(chosen + (step ?? 0), keys.length - 1));
    if (step === undefined) await act(page, event);
    else page.at = place === 0 ? undefined : keys[place];
  }
  return false;
}

/** How far a key moves the choice; undefined for one that does not. */
function stepOf({ name }: Keypress, { shown, view: { keys } }: Page): number | undefined {
  const steps: Record<string, number> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    pageup: -shown,
    pagedown: shown,
  };
  return { ...steps, home: -keys.length, end: keys.length }[name];
}

/** Help for the keys that do something, and the part of the view without which each is not offered. */
const actions = [
  ['/', 'mayView', 'search name, note, prefix and entity; Esc clears the search'],
  ['i', 'mayView', 'show or hide inactive keys'],
  ['e', 'mayView', 'show only keys that expire within 14 days, or all'],
  ['s', 'mayView', 'sort by expiry, last use, name, or the newest first'],
  ['l', 'mayView', 'a list with a line for each key, or tiles'],
  ['c', 'mayCreate', 'create a key'],
  ['r', 'mayRotate', 'rotate the chosen key: a new secret, the old one stops at once'],
  ['v', 'mayRevoke', 'revoke the chosen key: access stops at once'],
  ['d', 'documentation', 'open the documentation of the API'],
] as const satisfies readonly [string, keyof PageView, string][];

async function act(page: Page, { name }: Keypress): Promise<void> {
  const { choices, view } = page;
  const key = view.keys[view.chosen];
  const isActive = key && statusOf(key, view.nowMs) === 'Active';
  const action = actions.find(([letter, needed]) => letter === name && view[needed])?.[0];
  // Whatever the list shows then, the chosen key stays chosen.
  if (action !== undefined) page.at = key;
  if (action === '/') {
    page.searching = page.hasSearched = true;
    page.atBeforeSearch = key;
  } else if (action === 'i') choices.showInactive = !choices.showInactive;
  else if (action === 'e') choices.expiringOnly = !choices.expiringOnly;
  else if (action === 's')
    choices.order =
      keyOrders[(keyOrders.indexOf(choices.order) + 1) % keyOrders.length] ?? 'newest';
  else if (action === 'l') page.isList = !page.isList;
  else if (action === 'd')
    page.toast = await openDocumentation(page.context, view.documentation ?? '');
  else if (action === 'c') await run(page, 'create');
  else if (action === 'r' && isActive) await run(page, 'rotate', key);
  else if (action === 'v' && isActive) await run(page, 'revoke', key);
}

/** Runs a command whose questions are asked on the page's screen; the new key of one that makes a key is the first then. */
async function run(page: Page, name: 'create' | 'rotate' | 'revoke', key?: Key): Promise<void> {
  const { context, screen, options } = page;
  const { style } = context;
  const title = key ? [] : [style.bold('Create key')];
  const asker = createDialog(screen, style, (columns) => [
    ...locationLines(columns, style),
    '',
    ...title,
  ]);
  // The toast reports the success; lines on the normal screen would only flash.
  const inner = { ...context, io: { ...context.io, asker, screen }, say: () => {} };
  const outcome = await outcomeOf(runAction(inner, name, options.baseUrl, key), 'Cancelled');
  page.toast = outcome.message;
  if (outcome.isDone && name !== 'revoke') page.at = undefined;
}

async function showHelp({ context: { style }, screen, view }: Page): Promise<void> {
  screen.draw((columns) => [
    ...locationLines(columns, style),
    '',
    ...helpLines(view, columns, style),
  ]);
  const event = await screen.next();
  if (event === 'signal' || event === 'end') screen.unread(event);
}

function helpLines(view: PageView, columns: number, style: Style): string[] {
  const keys = [
    ['↑ ↓', 'choose a key (also j and k)'],
    ['PgUp PgDn', 'one page up or down'],
    ['Home End', 'first or last key'],
    ...actions.filter(([, needed]) => view[needed]).map(([letter, , effect]) => [letter, effect]),
    ['q', 'quit'],
  ];
  return [
    style.bold('Keys of this page'),
    ...keys.flatMap(([name = '', effect = '']) =>
      wrapLabelled(style.bold(padded(name, 11)), effect, columns),
    ),
    style.dim('Any key goes back.'),
  ];
}
