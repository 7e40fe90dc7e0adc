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
  chosenKey: Key | undefined;
  /** The key that was chosen before the search that is being typed; Esc chooses it again. */
  keyBeforeSearch: Key | undefined;
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
  const state: PageState = { searching: false, isList: false, toast: '', shownCount: 1 };
  const page: Page = {
    ...state,
    context,
    options,
    screen,
    view,
    choices,
    chosenKey: undefined,
    keyBeforeSearch: undefined,
    hasSearched: choices.search !== '',
  };
  try {
    for (;;) {
      screen.draw((columns, rows) => pageLines(page.view, page, columns, rows, context.style));
      const event = await screen.next();
      if (event === 'signal' || event === 'end') return;
      page.toast = '';
      if (await handleKeypress(page, event)) return;
      // Fast typing causes one read of the list, once no more typed characters wait.
      if (page.searching && screen.hasMore()) page.view = { ...page.view, search: choices.search };
      else {
        await context.requireUnchangedActor();
        page.view = await readPage(choices, page.chosenKey);
      }
      if (page.chosenKey) page.chosenKey = page.view.keys[page.view.chosen];
    }
  } finally {
    screen.close();
  }
}

/** Handles a key; returns whether it quits. */
async function handleKeypress(page: Page, keypress: Keypress): Promise<boolean> {
  const isCancel = isCancelKey(keypress);
  // Every cancel key ends a search that is being typed, as in any other question.
  const endsSearch = page.searching || (page.hasSearched && !keypress.ctrl);
  if (isCancel && endsSearch) {
    endSearch(page);
    return false;
  }
  if (page.searching) {
    typeSearch(page, keypress);
    return false;
  }
  if (keypress.name === 'q' || isCancel) return true;

  const step = stepOf(keypress, page);
  if (keypress.name === '?') await showHelp(page);
  else if (step === undefined) await performAction(page, keypress);
  else moveChoice(page, step);
  return false;
}

function endSearch(page: Page): void {
  const { choices, view } = page;
  if (!page.searching && choices.search === '') page.toast = 'No search to clear; q quits.';
  page.chosenKey = page.searching ? page.keyBeforeSearch : view.keys[view.chosen];
  page.searching = false;
  choices.search = '';
}

function typeSearch(page: Page, keypress: Keypress): void {
  if (isEnter(keypress)) {
    page.searching = false;
    return;
  }
  page.choices.search = editedText(page.choices.search, keypress);
  page.chosenKey = undefined;
}

function moveChoice(page: Page, step: number): void {
  const { keys, chosen: chosenIndex } = page.view;
  const nextIndex = Math.max(0, Math.min(chosenIndex + step, keys.length - 1));
  page.chosenKey = nextIndex === 0 ? undefined : keys[nextIndex];
}

/** How far a key moves the choice; undefined for any other key. */
function stepOf({ name }: Keypress, page: Page): number | undefined {
  const keyCount = page.view.keys.length;
  const steps: Record<string, number> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    pageup: -page.shownCount,
    pagedown: page.shownCount,
    home: -keyCount,
    end: keyCount,
  };
  return steps[name];
}

/** The keys that do something, with the part of the view that each needs, and its help. */
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

async function performAction(page: Page, { name }: Keypress): Promise<void> {
  const { choices, view } = page;
  const chosenKey = view.keys[view.chosen];
  const isActive = chosenKey && statusOf(chosenKey, view.nowMs) === 'Active';
  const offered = actions.find(([letter, needed]) => letter === name && view[needed]);
  const action = offered?.[0];
  // The chosen key stays chosen, even if the list changes.
  if (action !== undefined) page.chosenKey = chosenKey;

  switch (action) {
    case '/':
      page.searching = true;
      page.hasSearched = true;
      page.keyBeforeSearch = chosenKey;
      break;
    case 'i':
      choices.showInactive = !choices.showInactive;
      break;
    case 'e':
      choices.expiringOnly = !choices.expiringOnly;
      break;
    case 's': {
      const nextIndex = (keyOrders.indexOf(choices.order) + 1) % keyOrders.length;
      choices.order = keyOrders[nextIndex] ?? 'newest';
      break;
    }
    case 'l':
      page.isList = !page.isList;
      break;
    case 'd':
      page.toast = await openDocumentation(page.context, view.documentation ?? '');
      break;
    case 'c':
      await runOnScreen(page, 'create');
      break;
    case 'r':
      if (isActive) await runOnScreen(page, 'rotate', chosenKey);
      break;
    case 'v':
      if (isActive) await runOnScreen(page, 'revoke', chosenKey);
      break;
  }
}

/** Runs a command that asks its questions on the page's screen; after one that makes a key, the first key is chosen. */
async function runOnScreen(
  page: Page,
  actionName: 'create' | 'rotate' | 'revoke',
  key?: Key,
): Promise<void> {
  const { context, screen, options } = page;
  const { style } = context;
  const titleLines = key ? [] : [style.bold('Create key')];
  const asker = createDialog(screen, style, (columns) => [
    ...locationLines(columns, style),
    '',
    ...titleLines,
  ]);
  // The toast reports the success; lines on the normal screen would only flash.
  const io = { ...context.io, asker, screen };
  const screenContext = { ...context, io, say: () => {} };
  const action = runAction(screenContext, actionName, options.baseUrl, key);
  const outcome = await outcomeOf(action, 'Cancelled');
  page.toast = outcome.message;
  if (outcome.isDone && actionName !== 'revoke') page.chosenKey = undefined;
}

async function showHelp({ context, screen, view }: Page): Promise<void> {
  const { style } = context;
  screen.draw((columns) => [
    ...locationLines(columns, style),
    '',
    ...helpLines(view, columns, style),
  ]);
  const event = await screen.next();
  if (event === 'signal' || event === 'end') screen.unread(event);
}

function helpLines(view: PageView, columns: number, style: Style): string[] {
  const offeredActions = actions.filter(([, needed]) => view[needed]);
  const helpEntries = [
    ['↑ ↓', 'choose a key (also j and k)'],
    ['PgUp PgDn', 'one page up or down'],
    ['Home End', 'first or last key'],
    ...offeredActions.map(([letter, , effect]) => [letter, effect]),
    ['q', 'quit'],
  ];
  return [
    style.bold('Keys of this page'),
    ...helpEntries.flatMap(([keyName = '', effect = '']) =>
      wrapLabelled(style.bold(padded(keyName, 11)), effect, columns),
    ),
    style.dim('Any key goes back.'),
  ];
}
