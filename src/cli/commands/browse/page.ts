import { statusOf } from '../../../core/keys/keys.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { Context } from '../../command/context.ts';
import { editedText } from '../../prompts/line-editor.ts';
import { createDialog } from '../../prompts/prompts.ts';
import type { Screen } from '../../terminal/interaction.ts';
import { isCancelKey, isEnter, type Keypress } from '../../terminal/interaction.ts';
import { openScreen } from '../../terminal/screen.ts';
import type { Style } from '../../terminal/style.ts';
import { padded, wrapLabelled } from '../../terminal/wrap.ts';
import { createHere, openDocumentation, outcomeOf, type PageSession, revokeHere, rotateHere } from './actions.ts';
import { locationLines, type PageState, pageLines } from './layout.ts';
import { type Choices, createPageReader, firstChoices, orders, type PageOptions, type PageView } from './view.ts';

interface Page {
  context: Context;
  session: PageSession;
  screen: Screen;
  choices: Choices;
  /** The chosen key, by default the first one. */
  at: Key | undefined;
  state: PageState;
  /** Whether there was a search: from then on Esc clears searches and does not quit, so that one Esc too many does no harm. */
  hasSearched: boolean;
}

/** The settings page of keys, drawn on the alternate screen (specification 5.4). */
export async function browsePage(context: Context, given: PageOptions): Promise<void> {
  const session = { ...(await context.session()), baseUrl: given.baseUrl };
  const readPage = createPageReader(session.domain, session.actor, given);
  const choices = firstChoices(given);
  const screen = openScreen(context.io);
  const state: PageState = { searching: false, isList: false, toast: '', shown: 1 };
  const page: Page = { context, session, screen, choices, at: undefined, state, hasSearched: choices.search !== '' };
  try {
    let view = await readPage(choices);
    for (;;) {
      const drawn = view;
      screen.draw((columns, rows) => pageLines(drawn, state, columns, rows, context.style));
      const event = await screen.next();
      if (event === 'signal' || event === 'end') return;
      state.toast = '';
      if (await press(page, view, event)) return;
      // While more typed characters wait, the list is not read: fast typing causes one read at its end.
      if (state.searching && screen.hasMore()) view = { ...view, search: choices.search };
      else {
        await context.requireUnchangedActor();
        view = await readPage(choices, page.at);
      }
      if (page.at) page.at = view.keys[view.chosen];
    }
  } finally {
    screen.close();
  }
}

/** Handles a key; returns whether it quits. */
async function press(page: Page, view: PageView, event: Keypress): Promise<boolean> {
  const { choices, state } = page;
  const isCancel = isCancelKey(event);
  const isEscape = isCancel && !event.ctrl;
  // Every cancel key ends a search that is being typed, as in any other question.
  if (isCancel && (state.searching || (isEscape && page.hasSearched))) {
    if (!state.searching && choices.search === '') state.toast = 'No search to clear; q quits.';
    // The chosen key stays chosen among all keys.
    else page.at = view.keys[view.chosen];
    state.searching = false;
    choices.search = '';
  } else if (state.searching) {
    if (isEnter(event)) state.searching = false;
    else {
      choices.search = editedText(choices.search, event);
      page.at = undefined;
    }
  } else if (event.name === 'q' || isCancel) return true;
  else if (event.name === '?') await showHelp(page, view);
  else {
    const place = placeOf(event, view, state.shown);
    if (place === undefined) await act(page, view, event);
    else page.at = place === 0 ? undefined : view.keys[Math.min(place, view.keys.length - 1)];
  }
  return false;
}

/** The index that a key which moves the choice leads to, at least 0; undefined for any other key. */
function placeOf({ name }: Keypress, { chosen, keys }: PageView, shown: number): number | undefined {
  const steps: Record<string, number> = { up: -1, k: -1, down: 1, j: 1, pageup: -shown, pagedown: shown };
  const step = { ...steps, home: -keys.length, end: keys.length }[name];
  return step === undefined ? undefined : Math.max(0, chosen + step);
}

/** What the help says about the keys that do something, and the part of the view without which each is not offered. */
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

async function act(page: Page, view: PageView, { name }: Keypress): Promise<void> {
  const { choices, state, session } = page;
  const action = actions.find(([letter, needed]) => letter === name && view[needed])?.[0];
  const key = view.keys[view.chosen];
  const isActive = key && statusOf(key, view.nowMs) === 'Active';
  switch (action) {
    case '/':
      state.searching = true;
      page.hasSearched = true;
      return;
    case 'l':
      state.isList = !state.isList;
      return;
    case 'd':
      state.toast = await openDocumentation(page.context, view.documentation ?? '');
      return;
    case 'c':
      state.toast = await asking(page, 'Create key', (inner) => createHere(inner, session));
      page.at = undefined;
      return;
    case 'r':
      if (!isActive) return;
      state.toast = await asking(page, '', (inner) => rotateHere(inner, session, key));
      page.at = undefined;
      return;
    case 'v':
      if (isActive) state.toast = await asking(page, '', (inner) => revokeHere(inner, session, key));
      return;
    case 'i':
      choices.showInactive = !choices.showInactive;
      break;
    case 'e':
      choices.expiringOnly = !choices.expiringOnly;
      break;
    case 's':
      choices.order = orders[(orders.indexOf(choices.order) + 1) % orders.length] ?? 'newest';
      break;
    default:
      return;
  }
  // Whatever the list shows now, the chosen key stays chosen.
  page.at = key;
}

/** Runs an action whose questions are asked on the page's screen, below a title; returns the toast. */
function asking({ context, screen }: Page, title: string, work: (inner: Context) => Promise<string>): Promise<string> {
  const { style } = context;
  const head = (columns: number) => [
    ...locationLines(columns, style),
    '',
    ...(title === '' ? [] : [style.bold(title)]),
  ];
  const asker = createDialog(screen, style, head);
  // The toast reports the success; lines on the normal screen would only flash.
  return outcomeOf(work({ ...context, io: { ...context.io, asker, screen }, say: () => {} }), 'Cancelled');
}

async function showHelp({ context: { style }, screen }: Page, view: PageView): Promise<void> {
  screen.draw((columns) => [...locationLines(columns, style), '', ...helpLines(view, columns, style)]);
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
    ...keys.flatMap(([name = '', effect = '']) => wrapLabelled(style.bold(padded(name, 11)), effect, columns)),
    style.dim('Any key goes back.'),
  ];
}
