import { resolve } from 'node:path';
import type { AuditAction } from '../../../core/access/roles.ts';
import { type Actor, auditDraft, requirePermissions } from '../../../core/domain/actors.ts';
import type {
  KeptStopped,
  RestoreHooks,
  RestoreOutcome,
} from '../../../core/operations/backups.ts';
import type { AuditDraft, AuditHead } from '../../../core/port/audit.ts';
import type { Store } from '../../../core/port/store.ts';
import { printable } from '../../../core/text/shown-text.ts';
import { formatInstantMs } from '../../../core/time/instants.ts';
import { defineCommand, yesFlag } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { requireConfirmation } from '../../questions/values.ts';
import { createProgress } from '../../terminal/progress.ts';

export default defineCommand({
  description:
    'For a Super user of the first organization, in the existing store or, if none can be opened, in the one of the backup. Refused while a daemon serves the store. What was stopped since the backup stays stopped: revoked keys, deactivated and demoted users, deactivated and removed entities.',
  arguments: [{ spelling: '<FILE>', doc: 'a file that hkctl backup wrote' }],
  flags: { yes: yesFlag },
  examples: [
    ['hkctl restore /var/backups/hkctl-2026-11-20.backup', 'asks before it replaces the store'],
    ['hkctl restore plant.backup --yes --json', 'from a script; names what stays stopped'],
  ],
  async run(context, _flags, [file = '']) {
    const source = resolve(file);
    let authorized: Actor | undefined;
    const bar = createProgress(context, 'Restoring');
    let bytes = 0;
    const hooks: RestoreHooks = {
      async authorize(store) {
        const domain = context.domainOf(store);
        authorized = await context.actorIn(domain);
        await requirePermissions(domain, authorized, 'store.restore', source);
      },
      async confirm({ createdAtMs, keys, bytes: size }, isThere) {
        bytes = size;
        if (!isThere) return;
        const what = `the backup of ${formatInstantMs(createdAtMs)} (${keys} keys)`;
        const question = `Replace the store ${context.storePath} by ${what}? What was kept since is lost.`;
        await requireConfirmation(context, question, 'Restore');
      },
      progress: (share) => bar.at(share * bytes, bytes),
      async audit(store, kept, replaced) {
        await recordRestore(context, { store, source, authorized }, kept, replaced);
      },
    };
    const engine = await context.services.engine(context.storePath, { makesFolder: true });
    const outcome = await engine.restore(source, hooks).finally(bar.end);
    printOutcome(context, source, outcome);
  },
});

interface Kind {
  action: AuditAction;
  /** Name of the time in the event's detail. */
  instant: string;
  sentence: string;
}

/** How the audit trail and the report name each kind of stopped thing. */
const kinds: Readonly<Record<KeptStopped['what'], Kind>> = {
  revoked_key: {
    action: 'key.revoke',
    instant: 'revoked_at',
    sentence: 'Revoked since then, and still revoked',
  },
  deactivated_user: {
    action: 'user.deactivate',
    instant: 'deactivated_at',
    sentence: 'Users deactivated since then, and still inactive',
  },
  demoted_user: {
    action: 'user.set_role',
    instant: 'set_at',
    sentence: 'Users demoted since then, with the role they were given',
  },
  confined_user: {
    action: 'user.set_role',
    instant: 'set_at',
    sentence: 'Users confined to some entities since then, and still confined',
  },
  deactivated_entity: {
    action: 'entity.deactivate',
    instant: 'deactivated_at',
    sentence: 'Entities deactivated since then, and still inactive',
  },
  removed_entity: {
    action: 'entity.remove',
    instant: 'removed_at',
    sentence: 'Entities removed since then, and still removed',
  },
};

interface Restored {
  store: Store;
  source: string;
  /** The actor whose permission was checked, in the present store or in the restored one. */
  authorized: Actor | undefined;
}

/** Appends the event of the restore to the restored store, and one for each thing that stays stopped. */
async function recordRestore(
  context: Context,
  { store, source, authorized }: Restored,
  kept: readonly KeptStopped[],
  replaced: AuditHead | null,
): Promise<void> {
  const domain = context.domainOf(store);
  // In the backup the actor may have another role, or no profile yet: then the event is one of the store.
  const user = await store.users.findByLogin(context.login);
  const { osAccount } = context.io;
  const actor = user && { user, osAccount };
  const unnamed = {
    tenantId: null,
    actor: authorized ? { id: authorized.user.id, login: authorized.user.login } : null,
  };
  const draft = (action: AuditAction, target: string, detail: AuditDraft['detail']): AuditDraft =>
    actor
      ? auditDraft(domain, actor, action, target, detail)
      : { ...unnamed, action, target, detail, osAccount, outcome: 'done', atMs: domain.clock() };
  const count = (what: KeptStopped['what']) =>
    kept.filter((stopped) => stopped.what === what).length;
  await store.audit.append(
    draft('store.restore', source, {
      replaced_head: replaced?.hash ?? null,
      replaced_records: replaced?.count ?? null,
      keys_kept_revoked: count('revoked_key'),
      users_kept_deactivated: count('deactivated_user'),
      users_kept_demoted: count('demoted_user'),
      users_kept_confined: count('confined_user'),
      entities_kept_deactivated: count('deactivated_entity'),
      entities_kept_removed: count('removed_entity'),
    }),
  );
  for (const { what, name, atMs, tenantId, role, entityIds } of kept) {
    const entities = entityIds && (await store.entities.list(tenantId));
    const codes = entities?.filter(({ id }) => entityIds?.includes(id)).map(({ code }) => code);
    const detail = {
      [kinds[what].instant]: formatInstantMs(atMs),
      by: 'journal',
      ...(role && { role }),
      ...(codes && { entities: codes.join(' ') }),
    };
    // Each organization finds in its trail what became of its own.
    await store.audit.append({ ...draft(kinds[what].action, name, detail), tenantId });
  }
}

function printOutcome(context: Context, source: string, { facts, kept }: RestoreOutcome): void {
  const namesOf = (what: KeptStopped['what']) =>
    kept.filter((one) => one.what === what).map(({ name }) => name);
  if (context.json) {
    const demoted = kept.filter(({ what }) => what === 'demoted_user');
    context.printJson({
      file: source,
      created_at: formatInstantMs(facts.createdAtMs),
      keys: facts.keys,
      kept_revoked: namesOf('revoked_key'),
      kept_deactivated_users: namesOf('deactivated_user'),
      kept_demoted_users: demoted.map(({ name, role }) => ({ login: name, role })),
      kept_confined_users: namesOf('confined_user'),
      kept_deactivated_entities: namesOf('deactivated_entity'),
      kept_removed_entities: namesOf('removed_entity'),
    });
    return;
  }
  context.confirm(
    `Restored: ${context.storePath} is as it was at ${formatInstantMs(facts.createdAtMs)}.`,
  );
  for (const [what, { sentence }] of Object.entries(kinds) as [KeptStopped['what'], Kind][]) {
    const stopped = kept.filter((one) => one.what === what);
    const names = stopped.map((one) => `${printable(one.name)}${one.role ? ` (${one.role})` : ''}`);
    if (names.length > 0) context.print(`${sentence}: ${names.join(', ')}`);
  }
}
