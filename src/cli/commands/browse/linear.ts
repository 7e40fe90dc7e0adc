import { permissionLabels } from '../../../core/access/permissions.ts';
import type { Actor } from '../../../core/domain/actors.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import { errorTable, isHkctlError } from '../../../core/errors.ts';
import { statusOf } from '../../../core/keys/keys.ts';
import { type DayUsage, usageOf } from '../../../core/keys/usage.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { Context } from '../../command/context.ts';
import { askChoice, askText } from '../../prompts/prompts.ts';
import type { Choice } from '../../terminal/asker.ts';
import { messageWithHint } from '../../terminal/sentence.ts';
import { wrapLabelled } from '../../terminal/wrap.ts';
import { namesOf } from '../keys/names.ts';
import { shownUsage, usageFacts } from '../keys/usage.ts';
import { createHere, openDocumentation, revokeHere, rotateHere } from './actions.ts';
import { extraFactsOf, factsOf } from './facts.ts';
import type { PageOptions } from './page.ts';
import { createPageReader, emptyLines, offersOf, type PageSettings, type PageView, type Place } from './view.ts';

const pageSize = 10;
/** The keys to read for a page: one more than it shows, to see whether another page follows. */
type Window = Pick<PageSettings, 'at' | 'above' | 'below'>;
const pageFrom = (at: Place): Window => ({ at, above: 0, below: pageSize + 1 });
const pageBefore = (at: Place): Window => ({ at, above: pageSize, below: 1 });

type Step = () => Promise<boolean>;

/** The settings page as plain lines and questions that are never redrawn, for screen readers and simple terminals. */
export async function browseLinearly(given: Context, options: PageOptions): Promise<void> {
  const print = (...lines: string[]) =>
    given.print(...lines.flatMap((line) => wrapLabelled('', line, given.io.stdout.columns())));
  const context = { ...given, io: { ...given.io, plain: true }, print };
  const session = await context.session();
  const settings: PageSettings = {
    showInactive: options.all,
    search: options.search ?? '',
    order: 'newest',
    expiringOnly: false,
    given: options,
    baseUrl: options.baseUrl,
    ...pageFrom('start'),
  };
  const readPage = createPageReader(session.domain, session.actor);
  for (let going = true; going; ) {
    await context.requireUnchangedActor();
    const read = await readPage(settings);
    const view = { ...read, keys: read.keys.slice(0, pageSize) };
    context.print(...linearLines(view, await usagesOf(session.domain, view)));
    going = await choose(context, session, settings, view, read.keys[pageSize]);
  }
}

function linearLines(view: PageView, usages: ReadonlyMap<string, readonly DayUsage[]>): string[] {
  const range =
    view.total === 0 ? [] : [`Keys ${view.offset + 1} to ${view.offset + view.keys.length} of ${view.total}.`];
  const keys = view.keys.flatMap((key) => [
    '',
    `${key.name}, prefix ${key.prefix}`,
    `Status: ${statusOf(key, view.nowMs)}`,
    ...factsOf(key, view.nowMs).map(({ label, values }) => `${label}: ${values[0]}`),
    ...extraFactsOf(key).map(([label, value]) => `${label}: ${value}`),
    ...usageFacts(shownUsage(usages.get(key.id) ?? [], key, { nowMs: view.nowMs, utc: false })).map(
      ([label, value]) => `${label}: ${value}`,
    ),
    `Permissions: ${key.permissions.map((permission) => permissionLabels.get(permission)).join(', ')}`,
  ]);
  const empty = view.keys.length === 0 ? emptyLines(view) : [];
  return ['', 'Settings, Organization, Integrations, API Keys', ...range, ...keys, ...empty, ''];
}

async function usagesOf(domain: Domain, { keys }: PageView): Promise<Map<string, readonly DayUsage[]>> {
  const usages = new Map<string, readonly DayUsage[]>();
  for (const key of keys) usages.set(key.id, await usageOf(domain, key));
  return usages;
}

async function choose(
  context: Context,
  { domain, actor }: { domain: Domain; actor: Actor },
  settings: PageSettings,
  view: PageView,
  next: Key | undefined,
): Promise<boolean> {
  const { io } = context;
  const choices: Choice<Step>[] = [];
  const offer = (when: boolean, name: string, value: () => Promise<void> | void) => {
    if (!when) return;
    const goOn = async () => {
      await value();
      return true;
    };
    choices.push({ name, value: goOn });
  };
  const some = (fits: (key: Key) => boolean) => view.keys.filter(fits);
  const rotatable = some((key) => offersOf(view, key).rotate === 'offered');
  const revocable = some((key) => offersOf(view, key).revoke);
  const [first] = view.keys;
  const turnTo = (window: Window) => Object.assign(settings, window);
  offer(next !== undefined, 'Next page', () => {
    if (next) turnTo(pageFrom({ key: next, number: view.offset + pageSize }));
  });
  offer(view.offset > 0, 'Page before', () => {
    if (first) turnTo(pageBefore({ key: first, number: view.offset }));
  });
  offer(view.documentation !== undefined, 'Documentation', async () => {
    context.print(await openDocumentation(context, view.documentation ?? ''));
  });
  offer(view.mayCreate, 'Create key', () => said(context, () => createHere(context, domain, actor, settings.baseUrl)));
  offer(view.mayView, view.showInactive ? 'Hide inactive keys' : 'Show inactive keys', () => {
    settings.showInactive = !settings.showInactive;
    turnTo(pageFrom('start'));
  });
  offer(view.mayView, 'Search', async () => {
    settings.search = await askText(io, 'Search by name, note, prefix or entity (empty: all)');
    turnTo(pageFrom('start'));
  });
  offer(rotatable.length > 0, 'Rotate', () =>
    said(context, async () => rotateHere(context, domain, actor, await askKey(context, rotatable), settings.baseUrl)),
  );
  offer(revocable.length > 0, 'Revoke', () =>
    said(context, async () => revokeHere(context, domain, actor, await askKey(context, revocable))),
  );
  choices.push({ name: 'Quit', value: async () => false });
  return (await askChoice(io, 'What next?', choices))();
}

function askKey(context: Context, keys: readonly Key[]): Promise<Key> {
  return askChoice(
    context.io,
    'Which key?',
    keys.map((key) => ({ name: namesOf([key]), value: key })),
  );
}

/** Prints the success of an action or the reason of its refusal. */
async function said(context: Context, work: () => Promise<string>): Promise<void> {
  try {
    context.print(await work());
  } catch (thrown) {
    if (!isHkctlError(thrown) || errorTable[thrown.code].exit === 6) throw thrown;
    context.print(messageWithHint(thrown));
  }
}
