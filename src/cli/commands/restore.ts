import { resolve } from 'node:path';
import { type Actor, auditDraft, requirePermissions } from '../../core/actors.ts';
import type { AuditDraft } from '../../core/audit.ts';
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
    let judged: Actor | undefined;
    const { facts, kept } = await context.services.restoreStore(context.storePath, source, {
      async judge(store) {
        const domain = context.domainOf(store);
        judged = await context.actorIn(domain);
        await requirePermissions(domain, judged, ['store.manage'], attempt);
      },
      async confirm({ createdAtMs, keys }) {
        const what = `the backup of ${formatInstantMs(createdAtMs)} (${keys} keys)`;
        const question = `Replace the store ${context.storePath} by ${what}? What was kept since is lost.`;
        await requireConfirmation(context, yes, question, 'Restore');
      },
      async audit(store, kept) {
        const domain = context.domainOf(store);
        // In the backup the actor may have another role, or no profile yet: then the event is one of the store.
        const user = await store.users.findByLogin(context.login);
        const { osAccount } = context.io;
        const actor = user && { user, osAccount };
        const unnamed = { tenantId: null, actor: judged ? { id: judged.user.id, login: judged.user.login } : null };
        const draft = (
          action: 'store.restore' | 'key.revoke',
          target: string,
          detail: Record<string, string | number>,
        ): AuditDraft =>
          actor
            ? auditDraft(domain, actor, action, target, detail)
            : { ...unnamed, action, target, detail, osAccount, outcome: 'done', atMs: domain.clock() };
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
