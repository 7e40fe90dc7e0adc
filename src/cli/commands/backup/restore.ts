import { resolve } from 'node:path';
import { type Actor, auditDraft, requirePermissions } from '../../../core/domain/actors.ts';
import { HkctlError } from '../../../core/errors.ts';
import type {
  BackupDigest,
  BackupOrigin,
  RestoreHooks,
  RestoreOutcome,
  RestoreRecord,
} from '../../../core/operations/backups.ts';
import { draftOfStop } from '../../../core/operations/stops.ts';
import type { AuditDraft } from '../../../core/port/audit.ts';
import type { Stop } from '../../../core/port/stops.ts';
import type { Store } from '../../../core/port/store.ts';
import type { User } from '../../../core/port/users.ts';
import { printable } from '../../../core/text/shown-text.ts';
import { nounFor } from '../../../core/text/words.ts';
import { formatInstantMs } from '../../../core/time/instants.ts';
import { defineCommand, yesFlag } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { parsed } from '../../command/flags.ts';
import { requireConfirmable, requireConfirmation } from '../../questions/values.ts';
import { createProgress } from '../../terminal/progress.ts';

export default defineCommand({
  description:
    'For a Super user of the first organization, in the existing store or, if none can be opened, in the one of the backup. Refused while a daemon serves the store. What was stopped since the backup stays stopped: revoked keys, deactivated and demoted users, deactivated and removed entities.',
  arguments: [
    {
      spelling: '<FILE>',
      isFile: true,
      doc: 'a file that hkctl backup wrote, compressed or not, or - for standard input',
    },
  ],
  fields: [
    'file',
    'created_at',
    'keys',
    'digest',
    'kept_revoked',
    'kept_deactivated_users',
    'kept_demoted_users',
    'kept_confined_users',
    'kept_deactivated_entities',
    'kept_removed_entities',
  ],
  flags: {
    digest: parsed(
      '--digest <DIGEST>',
      'refuse any backup but the one with this digest (sha256:…), which hkctl backup printed',
      parseDigest,
    ),
    yes: yesFlag,
  },
  examples: [
    ['hkctl restore /var/backups/hkctl-2026-11-20.backup.gz', 'asks before it replaces the store'],
    ['hkctl restore plant.backup --yes --json', 'from a script; names what stays stopped'],
    ['ssh nas cat plant.backup | hkctl restore - --yes', 'from standard input'],
  ],
  async run(context, { digest: expectedDigest }, [typedSource = '']) {
    const isStream = typedSource === '-';
    if (isStream && context.io.stdinIsTTY) throw terminalInput();
    const source = isStream ? typedSource : resolve(typedSource);
    let authorized: Actor | undefined;
    const progressBar = createProgress(context, 'Restoring');
    let backupBytes = 0;
    const hooks: RestoreHooks = {
      async authorize(store) {
        const domain = context.domainOf(store);
        authorized = await context.actorIn(domain);
        await requirePermissions(domain, authorized, 'store.restore', source);
      },
      requireConfirmable(storeExists) {
        const question = `Replace the store ${context.storePath} by a backup? ${lossText}`;
        if (storeExists) requireConfirmable(context, question);
      },
      async confirm({ createdAtMs, keys, bytes: sizeBytes }, storeExists) {
        backupBytes = sizeBytes;
        if (!storeExists) return;
        const keysText = `${keys} ${nounFor(keys, 'key')}`;
        const backupText = `the backup of ${formatInstantMs(createdAtMs)} (${keysText})`;
        const question = `Replace the store ${context.storePath} by ${backupText}? ${lossText}`;
        await requireConfirmation(context, question, 'Restore');
      },
      progress: (share) => progressBar.at(share * backupBytes, backupBytes),
      async audit(store, restored) {
        await recordRestore(context, { store, source, authorized }, restored);
      },
    };
    const engine = await context.services.engine(context.storePath, { makesFolder: true });
    const origin = isStream ? bytesOf(context.io.stdin) : source;
    const outcome = await engine.restore(origin, hooks, expectedDigest).finally(progressBar.end);
    printOutcome(context, source, outcome);
  },
});

const lossText = 'What was kept since is lost.';

/** Parses the digest of a backup. Throws `usage`. */
function parseDigest(typedDigest: string): BackupDigest {
  const digest = typedDigest.toLowerCase();
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  throw new HkctlError('usage', `"${typedDigest}" is not a digest: give sha256: and 64 digits.`, {
    hint: 'hkctl backup prints it; hkctl audit list --action store.backup --json shows it, too.',
  });
}

function terminalInput(): HkctlError {
  return new HkctlError('usage', 'A backup cannot be typed: standard input is a terminal.', {
    hint: 'Send it from a file or a program: hkctl restore - --yes < FILE',
  });
}

async function* bytesOf(inputStream: NodeJS.ReadableStream): Exclude<BackupOrigin, string> {
  for await (const chunk of inputStream)
    yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/** How the report names each kind of stopped thing. */
const stoppedSentences: Readonly<Record<Stop['kind'], string>> = {
  revoked_key: 'Revoked since then, and still revoked',
  deactivated_user: 'Users deactivated since then, and still inactive',
  demoted_user: 'Users demoted since then, with the role they were given',
  confined_user: 'Users confined to some entities since then, and still confined',
  deactivated_entity: 'Entities deactivated since then, and still inactive',
  removed_entity: 'Entities removed since then, and still removed',
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
  { kept: stops, replaced, digest }: RestoreRecord,
): Promise<void> {
  const domain = context.domainOf(store);
  // The actor may have another role in the backup, or no profile yet: then the event belongs to the store.
  const user = await store.users.findByLogin(context.login);
  const { osAccount } = context.io;
  const actor = user && { user, osAccount };
  const unnamedActor = {
    tenantId: null,
    actor: identityOf(authorized?.user),
  };
  const draftOf = (
    action: 'store.restore',
    target: string,
    detail: AuditDraft['detail'],
  ): AuditDraft =>
    actor
      ? auditDraft(domain, actor, action, target, detail)
      : {
          ...unnamedActor,
          action,
          target,
          detail,
          osAccount,
          outcome: 'done',
          atMs: domain.clock(),
        };

  const countOf = (kind: Stop['kind']) => stops.filter((stopped) => stopped.kind === kind).length;
  await store.audit.append(
    draftOf('store.restore', source, {
      digest: digest ?? null,
      replaced_head: replaced?.hash ?? null,
      replaced_records: replaced?.count ?? null,
      keys_kept_revoked: countOf('revoked_key'),
      users_kept_deactivated: countOf('deactivated_user'),
      users_kept_demoted: countOf('demoted_user'),
      users_kept_confined: countOf('confined_user'),
      entities_kept_deactivated: countOf('deactivated_entity'),
      entities_kept_removed: countOf('removed_entity'),
    }),
  );

  const restorer = {
    actor: identityOf(user) ?? unnamedActor.actor,
    osAccount,
    atMs: domain.clock(),
  };
  // Each organization finds its own stopped things in its trail.
  for (const stopped of stops) {
    const codes = await codesOf(store, stopped);
    await store.audit.append(draftOfStop(stopped, restorer, codes));
  }
}

/** A user as audit records name them; null without one. */
function identityOf(user: User | undefined): AuditDraft['actor'] {
  return user ? { id: user.id, login: user.login } : null;
}

/** The codes of the entities that are left to a confined user; undefined for any other stopped thing. */
async function codesOf(
  store: Store,
  { tenantId, entityIds }: Stop,
): Promise<readonly string[] | undefined> {
  if (entityIds === undefined) return undefined;
  const entities = await store.entities.list(tenantId);
  const leftEntities = entities.filter(({ id }) => entityIds.includes(id));
  return leftEntities.map(({ code }) => code);
}

function printOutcome(
  context: Context,
  source: string,
  { facts, kept: stops, digest }: RestoreOutcome,
): void {
  const stopsOf = (kind: Stop['kind']) => stops.filter((stopped) => stopped.kind === kind);
  const namesOf = (kind: Stop['kind']) => stopsOf(kind).map(({ name }) => name);
  if (context.json) {
    const demoted = stopsOf('demoted_user');
    context.printJson({
      file: source,
      created_at: formatInstantMs(facts.createdAtMs),
      keys: facts.keys,
      digest: digest ?? null,
      kept_revoked: namesOf('revoked_key'),
      kept_deactivated_users: namesOf('deactivated_user'),
      kept_demoted_users: demoted.map(({ name, role }) => ({ login: name, role })),
      kept_confined_users: namesOf('confined_user'),
      kept_deactivated_entities: namesOf('deactivated_entity'),
      kept_removed_entities: namesOf('removed_entity'),
    });
    return;
  }
  if (digest === undefined)
    context.warn(
      'warning: This backup carries no digest; an hkctl before 0.2.0 made it. Damage inside its values cannot be noticed.',
    );
  context.confirm(
    `Restored: ${context.storePath} is as it was at ${formatInstantMs(facts.createdAtMs)}.`,
  );
  for (const [kind, sentence] of Object.entries(stoppedSentences)) {
    const names = stops
      .filter((stopped) => stopped.kind === kind)
      .map(({ name, role }) => (role ? `${printable(name)} (${role})` : printable(name)));
    if (names.length > 0) context.print(`${sentence}: ${names.join(', ')}`);
  }
}
