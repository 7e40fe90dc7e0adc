import type { Command } from 'commander';
import { roleHolds } from '../core/access/roles.ts';
import { domainSeenBy } from '../core/domain/confinement.ts';
import { HkctlError, isHkctlError } from '../core/errors.ts';
import { keyCounts } from '../core/operations/status.ts';
import { withoutSecrets } from '../core/secrets.ts';
import { counted, grouped } from '../core/text/words.ts';
import { defineCommand } from './command/command.ts';
import type { Context } from './command/context.ts';
import { withClosedStore } from './store-account.ts';
import { widthOf, wrapWhole } from './terminal/wrap.ts';

/** `hkctl` without a command: shows the commands, and the state of the store in one line. */
export function overviewOf(program: Command) {
  return defineCommand({
    summary: 'Show the commands and the state of the store',
    readOnly: true,
    fields: [],
    examples: [],
    async run(context) {
      if (context.json)
        throw new HkctlError('usage', 'A command is missing.', {
          hint: 'hkctl --help lists them.',
        });

      const columns = context.io.stdout.columns();
      context.printDocument(commandsText(program, columns ?? 80));

      const stateParts = await stateOf(context);
      const safeParts = stateParts.map(context.naming).map(withoutSecrets);
      context.print(...wrapParts(safeParts, columns ?? Number.POSITIVE_INFINITY));
    },
  });
}

/** The help of the program without its flags and examples, so that it fits a screen. */
function commandsText(program: Command, columns: number): string {
  const help = program.createHelp();
  help.visibleOptions = () => [];
  help.prepareContext({ helpWidth: Math.min(columns, 120) });
  const flagHints = [
    'Flags: hkctl --help',
    'Flags and examples of a command: hkctl COMMAND --help',
  ];
  const flagLines = wrapParts(flagHints, columns);
  return [help.formatHelp(program, help), ...flagLines].join('\n');
}

/** Joins the parts by a dot, or gives each its own lines if they do not fit into one. */
function wrapParts(parts: readonly string[], columns: number): string[] {
  const joinedLine = parts.join(' · ');
  const lines = widthOf(joinedLine) <= columns ? [joinedLine] : parts;
  return lines.flatMap((line) => wrapWhole(line, columns));
}

async function stateOf(context: Context): Promise<string[]> {
  const { login } = context;
  let storePath: string | undefined;
  try {
    storePath = context.storePath;
    const domain = await context.domain();
    const user = await domain.store.users.findByLogin(login);
    // Read without an attempt in the audit trail: this is no request for data.
    if (user?.status !== 'active') return [`Store ${storePath}: no active profile for ${login}.`];
    if (!roleHolds(user.role, 'api_keys.view')) return [`Store ${storePath}`];

    const seenDomain = domainSeenBy(domain, user);
    const { active, expiring, missed } = await keyCounts(seenDomain, user.tenantId);
    const facts = [counted(active, 'active key')];
    if (expiring > 0)
      facts.push(`${grouped(expiring)} ${expiring === 1 ? 'expires' : 'expire'} within 14 days`);
    if (missed > 0) facts.push(`${grouped(missed)} ${missed === 1 ? 'has' : 'have'} expired`);
    return [`Store ${storePath}: ${facts.join(', ')}`, 'hkctl status'];
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    if (storePath === undefined) return messageAndHint(thrown);

    const isDefaultStore = storePath === context.io.defaultStorePath;
    const accountError = isDefaultStore ? withClosedStore(thrown, context.io) : thrown;
    if (accountError !== thrown) return messageAndHint(accountError);

    if (thrown.code === 'store_absent')
      return [`No store at ${storePath} yet`, 'hkctl init makes one'];

    return [`The store ${storePath} cannot be used: ${thrown.message}`, 'hkctl doctor'];
  }
}

function messageAndHint({ message, hint }: HkctlError): string[] {
  return hint ? [message, hint] : [message];
}
