import { permissionLabels } from '../../../core/access/permissions.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import { statusOf } from '../../../core/keys/keys.ts';
import { usageOf } from '../../../core/keys/usage.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { Context } from '../../command/context.ts';
import type { StoreSession } from '../../command/store-access.ts';
import { createAsker } from '../../prompts/prompts.ts';
import { wrapLabelled } from '../../terminal/wrap.ts';
import { namesOf } from '../keys/names.ts';
import { statusText } from '../keys/refused.ts';
import { usageFacts } from '../keys/usage.ts';
import { openDocumentation, outcomeOf, runAction } from './actions.ts';
import { extraFactsOf, factsOf } from './tile.ts';
import {
  createKeyPageReader,
  emptyLines,
  firstChoices,
  type PageOptions,
  type PageView,
} from './view.ts';

const pageSize = 10;

/** The settings page as plain lines and questions that are never redrawn, for screen readers and simple terminals. */
export async function browseLinearly(
  drawnContext: Context,
  { domain, actor }: StoreSession,
  options: PageOptions,
): Promise<void> {
  const print = (...lines: string[]) =>
    drawnContext.print(
      ...lines.flatMap((line) => wrapLabelled('', line, drawnContext.io.stdout.columns())),
    );
  const context = { ...drawnContext, io: { ...drawnContext.io, plain: true }, print };
  const asker = createAsker(context.io);
  const choices = firstChoices(options);
  const readPage = createKeyPageReader(domain, actor, options);
  let from = 0;
  const search = async () => {
    choices.search = await asker.text('Search by name, note, prefix or entity (empty: all)');
    from = 0;
    return '';
  };
  for (;;) {
    await context.requireUnchangedActor();
    const view = await readPage(choices);
    if (from >= view.keys.length) from = 0;
    const keys = view.keys.slice(from, from + pageSize);
    await printKeys(context, domain, view, from, keys);
    const active = keys.filter((key) => statusOf(key, view.nowMs) === 'Active');
    const offered = [
      view.keys.length > from + pageSize && 'Next page',
      from > 0 && 'Page before',
      view.documentation && 'Documentation',
      view.mayCreate && 'Create key',
      view.mayView && (view.showInactive ? 'Hide inactive keys' : 'Show inactive keys'),
      view.mayView && 'Search',
      view.mayRotate && active[0] && 'Rotate',
      view.mayRevoke && active[0] && 'Revoke',
      'Quit',
    ].filter((name) => typeof name === 'string');
    const step = await asker.choice(
      'What next?',
      offered.map((name) => ({ name, value: name })),
    );
    const runOnKey = async (name: 'rotate' | 'revoke') => {
      const choices = active.map((key) => ({ name: namesOf([key]), value: key }));
      return runAction(context, name, options.baseUrl, await asker.choice('Which key?', choices));
    };
    const printOutcome = async (work: Promise<string>) => {
      const { message } = await outcomeOf(work);
      if (message !== '') print(message);
    };
    if (step === 'Quit') return;
    if (step === 'Next page') from += pageSize;
    else if (step === 'Page before') from -= pageSize;
    else if (step === 'Documentation')
      print(await openDocumentation(context, view.documentation ?? ''));
    else if (step === 'Create key')
      await printOutcome(runAction(context, 'create', options.baseUrl));
    else if (step === 'Rotate') await printOutcome(runOnKey('rotate'));
    else if (step === 'Revoke') await printOutcome(runOnKey('revoke'));
    else if (step === 'Search') await printOutcome(search());
    else {
      from = 0;
      choices.showInactive = !choices.showInactive;
    }
  }
}

async function printKeys(
  context: Context,
  domain: Domain,
  view: PageView,
  from: number,
  keys: readonly Key[],
): Promise<void> {
  const range = `Keys ${from + 1} to ${from + keys.length} of ${view.keys.length}.`;
  const lines = keys.length === 0 ? emptyLines(view) : [range];
  for (const key of keys) {
    const facts = [
      ['Status', statusText(key, view.nowMs)],
      ...factsOf(key, view.nowMs).map(({ label, values }) => [label, values[0]]),
      ...extraFactsOf(key),
      ...usageFacts(await usageOf(domain, key), key, { nowMs: view.nowMs, utc: false }),
      [
        'Permissions',
        key.permissions.map((permission) => permissionLabels.get(permission)).join(', '),
      ],
    ];
    lines.push(
      '',
      `${key.name}, prefix ${key.prefix}`,
      ...facts.map(([label, value]) => `${label}: ${value}`),
    );
  }
  context.print('', 'Settings, Organization, Integrations, API Keys', ...lines, '');
}
