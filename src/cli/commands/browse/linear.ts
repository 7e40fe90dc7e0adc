import { permissionLabels } from '../../../core/access/permissions.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import { statusOf } from '../../../core/keys/keys.ts';
import { usageOf } from '../../../core/keys/usage.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { Context } from '../../command/context.ts';
import type { StoreSession } from '../../command/store-access.ts';
import { createAsker } from '../../prompts/prompts.ts';
import { wrapLabelled } from '../../terminal/wrap.ts';
import { namesOf, statusText } from '../keys/shown-keys.ts';
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
  const print = (...lines: string[]) => {
    const columns = drawnContext.io.stdout.columns();
    drawnContext.print(...lines.flatMap((line) => wrapLabelled('', line, columns)));
  };
  const io = { ...drawnContext.io, plain: true };
  const context = { ...drawnContext, io, print };
  const asker = createAsker(context.io);
  const choices = firstChoices(options);
  const readPage = createKeyPageReader(domain, actor, options);
  let startIndex = 0;
  const askSearch = async () => {
    choices.search = await asker.text('Search by name, note, prefix or entity (empty: all)');
    startIndex = 0;
    return '';
  };

  for (;;) {
    await context.requireUnchangedActor();
    const view = await readPage(choices);
    if (startIndex >= view.keys.length) startIndex = 0;
    const shownKeys = view.keys.slice(startIndex, startIndex + pageSize);
    await printKeys(context, domain, view, startIndex, shownKeys);

    const activeKeys = shownKeys.filter((key) => statusOf(key, view.nowMs) === 'Active');
    const offeredSteps = [
      view.keys.length > startIndex + pageSize && 'Next page',
      startIndex > 0 && 'Page before',
      view.documentation && 'Documentation',
      view.mayCreate && 'Create key',
      view.mayView && (view.showInactive ? 'Hide inactive keys' : 'Show inactive keys'),
      view.mayView && 'Search',
      view.mayRotate && activeKeys[0] && 'Rotate',
      view.mayRevoke && activeKeys[0] && 'Revoke',
      'Quit',
    ].filter((name) => typeof name === 'string');
    const step = await asker.choice(
      'What next?',
      offeredSteps.map((name) => ({ name, value: name })),
    );
    const runOnKey = async (actionName: 'rotate' | 'revoke') => {
      const keyChoices = activeKeys.map((key) => ({ name: namesOf([key]), value: key }));
      const key = await asker.choice('Which key?', keyChoices);
      return runAction(context, actionName, options.baseUrl, key);
    };
    const printOutcome = async (action: Promise<string>) => {
      const { message } = await outcomeOf(action);
      if (message !== '') print(message);
    };

    if (step === 'Quit') return;
    if (step === 'Next page') startIndex += pageSize;
    else if (step === 'Page before') startIndex -= pageSize;
    else if (step === 'Documentation')
      print(await openDocumentation(context, view.documentation ?? ''));
    else if (step === 'Create key')
      await printOutcome(runAction(context, 'create', options.baseUrl));
    else if (step === 'Rotate') await printOutcome(runOnKey('rotate'));
    else if (step === 'Revoke') await printOutcome(runOnKey('revoke'));
    else if (step === 'Search') await printOutcome(askSearch());
    else {
      startIndex = 0;
      choices.showInactive = !choices.showInactive;
    }
  }
}

async function printKeys(
  context: Context,
  domain: Domain,
  view: PageView,
  startIndex: number,
  shownKeys: readonly Key[],
): Promise<void> {
  const { nowMs } = view;
  const endIndex = startIndex + shownKeys.length;
  const rangeText = `Keys ${startIndex + 1} to ${endIndex} of ${view.keys.length}.`;
  const lines = shownKeys.length === 0 ? emptyLines(view) : [rangeText];
  for (const key of shownKeys) {
    const usage = await usageOf(domain, key);
    const permissions = key.permissions.map((permission) => permissionLabels.get(permission));
    const facts = [
      ['Status', statusText(key, nowMs)],
      ...factsOf(key, nowMs).map(({ label, values }) => [label, values[0]]),
      ...extraFactsOf(key),
      ...usageFacts(usage, key, { nowMs, utc: false }),
      ['Permissions', permissions.join(', ')],
    ];
    lines.push(
      '',
      `${key.name}, prefix ${key.prefix}`,
      ...facts.map(([label, value]) => `${label}: ${value}`),
    );
  }
  context.print('', 'Settings, Organization, Integrations, API Keys', ...lines, '');
}
