import { resolve } from 'node:path';
import { auditDraft, requirePermissions } from '../../core/actors.ts';
import { formatInstantMs } from '../../core/instants.ts';
import { defineCommand, yesFlag } from '../command.ts';
import { requireConfirmation } from '../context.ts';

/** `hkctl restore` */
export const restore = defineCommand({
  name: 'restore',
  summary: 'Put the store of a backup in place of this one',
  description:
    'For a Super user of the store that is there or, where none can be opened, of the one in the backup. Refused while a daemon serves the store. Keys that were revoked since the backup stay revoked.',
  words: [{ spelling: '<FILE>', doc: 'a file that hkctl backup wrote' }],
  flags: { yes: yesFlag },
  examples: [
    ['hkctl restore /var/backups/hkctl-2026-11-20.backup', 'asks before it replaces the store'],
    ['hkctl restore plant.backup --yes --json', 'from a script; names the keys that stay revoked'],
  ],
  async run(context, { yes }, [file = '']) {
    const source = resolve(file);
    const attempt = { action: 'store.restore', target: source } as const;
    const { facts, kept } = await context.services.restoreStore(context.storePath, source, {
      async judge(store) {
        const domain = context.domainOf(store);
        await requirePermissions(domain, await context.actorIn(domain), ['store.manage'], attempt);
      },
      async confirm({ createdAtMs, keys }) {
        const what = `the backup of ${formatInstantMs(createdAtMs)} (${keys} keys)`;
        const question = `Replace the store ${context.storePath} by ${what}? What was kept since is lost.`;
        await requireConfirmation(context, yes, question, 'Restore');
      },
      async audit(store, kept) {
        const domain = context.domainOf(store);
        // In the backup the actor may have another role, or none yet: then the event names only the account.
        const user = await store.users.findByLogin(context.login);
        const actor = user && { user, osAccount: context.io.osAccount };
        const draft = (
          action: 'store.restore' | 'key.revoke',
          target: string,
          detail: Record<string, string | number>,
        ) =>
          actor
            ? auditDraft(domain, actor, action, target, detail)
            : { ...attempt, ...unnamed, atMs: domain.clock(), osAccount: context.io.osAccount, action, target, detail };
        await store.audit.append(draft('store.restore', source, { keys_kept_revoked: kept.length }));
        for (const { prefix, atMs } of kept) {
          await store.audit.append(draft('key.revoke', prefix, { revoked_at: formatInstantMs(atMs), by: 'journal' }));
        }
      },
    });
    const prefixes = kept.map(({ prefix }) => prefix);
    if (context.json) {
      const createdAt = formatInstantMs(facts.createdAtMs);
      context.printJson({ file: source, created_at: createdAt, keys: facts.keys, kept_revoked: prefixes });
      return;
    }
    context.print(`Restored: ${context.storePath} is as it was at ${formatInstantMs(facts.createdAtMs)}.`);
    if (prefixes.length > 0) context.print(`Revoked since then, and still revoked: ${prefixes.join(', ')}`);
  },
});

/** An event of an account that has no profile in the store. */
const unnamed = { tenantId: null, actor: null, outcome: 'done' } as const;
