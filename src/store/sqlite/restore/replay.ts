import { existsSync } from 'node:fs';
import { type Role, roleExceeds } from '../../../core/access/roles.ts';
import { HkctlError } from '../../../core/errors.ts';
import type { KeptStopped } from '../../../core/operations/backups.ts';
import type { Entity } from '../../../core/port/entities.ts';
import type { User } from '../../../core/port/users.ts';
import { openBackup } from '../backup/backup-file.ts';
import type { Connection } from '../connection/driver.ts';
import { translating } from '../connection/errors.ts';
import { filesOf } from '../connection/files.ts';
import { readSmallFile, writeSmallFile } from '../connection/safe-files.ts';
import { appendLines } from '../journal/journal.ts';
import { type JournalSummary, keyLine, readJournal, type StateEvent, stateLine } from '../journal/journal-lines.ts';
import type { PresentStore } from './present.ts';

/** Input of a replay. */
interface Replay {
  /** The registry of the new store, built from the backup. */
  registry: Connection;
  /** The path of the store that it will replace, with the journal beside it. */
  path: string;
  /** The path of the backup. */
  file: string;
  /** Folder with the migrations of each database. */
  migrationsFolder: string;
  present: PresentStore;
  nowMs: number;
}

/** Something that stays stopped, and its line where the journal is missing it. */
interface Found {
  kept: KeptStopped;
  missingLine?: string;
}

/**
 * Stops in a restored registry whatever was stopped since the backup, by the last events of the journal and by the store
 * that is replaced. It starts nothing. An entry whose commit failed counts too unless it was withdrawn: what it names was
 * about to be stopped. What only the store knew is added to the journal, so that it is complete for the next restore. The
 * store at `path` must be locked, or a stop made meanwhile would be missed. Throws `state_forbids` where an organization
 * would be left without an active Super user.
 */
export function replayStops(replay: Replay): KeptStopped[] {
  const { registry, path, file, migrationsFolder } = replay;
  const journal = filesOf(path).revocations;
  if (!existsSync(journal)) putBackJournal(journal, file, migrationsFolder);
  const summary = readJournal(existsSync(journal) ? readSmallFile(journal) : '');
  const found = registry
    .transaction(() => {
      const led = tenantsWithSuperUser(registry);
      const all = [...revokeKeys(replay, summary), ...stopUsers(replay, summary), ...stopEntities(replay, summary)];
      const still = new Set(tenantsWithSuperUser(registry).map(({ id }) => id));
      const left = led.filter(({ id }) => !still.has(id));
      if (left.length > 0) throw nobodyLeft(left, all);
      return all;
    })
    .immediate();
  const missing = found.map(({ missingLine }) => missingLine).filter((line) => line !== undefined);
  if (missing.length > 0) appendLines(journal, missing);
  return found.map(({ kept }) => kept);
}

/** Restores the journal of the backup on a machine that has none. */
function putBackJournal(journal: string, file: string, migrationsFolder: string): void {
  const { connection: backup } = openBackup(file, migrationsFolder);
  try {
    const text = backup.prepare<[], string>('select text from backup_journal').pluck().get();
    if (text === undefined) return;
    translating(journal, () => writeSmallFile(journal, text, 'create'));
  } finally {
    backup.close();
  }
}

function revokeKeys({ registry, present }: Replay, journal: JournalSummary): Found[] {
  const revoke = registry.prepare<[number, string], { tenantId: string; prefix: string; secretHash: string }>(
    `update keys set revoked_at_ms = ? where id = ? and revoked_at_ms is null
     returning tenant_id as tenantId, prefix, secret_hash as secretHash`,
  );
  const found: Found[] = [];
  for (const [keyId, atMs] of new Map([...present.revoked, ...journal.keys])) {
    const key = revoke.get(atMs, keyId);
    if (!key) continue;
    found.push({
      kept: { what: 'revoked_key', id: keyId, tenantId: key.tenantId, name: key.prefix, atMs },
      ...(!journal.keys.has(keyId) && { missingLine: keyLine('revoked', { ...key, keyId, atMs }) }),
    });
  }
  return found;
}

function stopUsers({ registry, present, nowMs }: Replay, journal: JournalSummary): Found[] {
  const users = registry.prepare<[], Pick<User, 'id' | 'tenantId' | 'login' | 'status' | 'role'>>(
    'select id, tenant_id as tenantId, login, status, role from users',
  );
  const deactivate = registry.prepare<[string]>("update users set status = 'inactive' where id = ?");
  const demote = registry.prepare<[string, string]>('update users set role = ? where id = ?');
  const found: Found[] = [];
  for (const { login: name, ...user } of users.all()) {
    const of = { id: user.id, tenantId: user.tenantId, name };
    const lineOf = (event: StateEvent) => stateLine({ atMs: nowMs, event, of: 'user', id: user.id, name });
    const now = present.users.get(user.id);
    const status = journal.userStatus.get(user.id);
    const atMs = status?.event === 'deactivated' ? status.atMs : undefined;
    if (user.status === 'active' && (atMs !== undefined || now?.status === 'inactive')) {
      deactivate.run(user.id);
      found.push({
        kept: { what: 'deactivated_user', ...of, atMs: atMs ?? nowMs },
        ...(atMs === undefined && { missingLine: lineOf('deactivated') }),
      });
    }
    const change = journal.userRole.get(user.id);
    const role = lowest(user.role, now?.role, change?.event);
    if (role !== user.role) {
      demote.run(role, user.id);
      const isRecorded = change?.event === role;
      found.push({
        kept: { what: 'demoted_user', ...of, atMs: isRecorded ? change.atMs : nowMs, role },
        ...(!isRecorded && { missingLine: lineOf(`role:${role}`) }),
      });
    }
  }
  return found;
}

/** The lowest of a role and those given since. */
function lowest(role: Role, ...since: (Role | undefined)[]): Role {
  return since.reduce<Role>((kept, next) => (next !== undefined && roleExceeds(kept, next) ? next : kept), role);
}

function stopEntities({ registry, present, nowMs }: Replay, journal: JournalSummary): Found[] {
  const entities = registry.prepare<[], Pick<Entity, 'id' | 'tenantId' | 'code' | 'status'>>(
    'select id, tenant_id as tenantId, code, status from entities',
  );
  const remove = registry.prepare<[string]>('delete from entities where id = ?');
  const purge = registry.prepare<[string]>('insert or ignore into purges (entity_id) values (?)');
  const deactivate = registry.prepare<[string]>("update entities set status = 'inactive' where id = ?");
  const found: Found[] = [];
  for (const { code: name, id, tenantId, status } of entities.all()) {
    const event = journal.entities.get(id);
    const now = present.entities.get(id);
    // An entity that is still there was not removed, even if the journal has an entry of a failed removal: its records stay.
    if (event?.event === 'removed' && now === undefined) {
      remove.run(id);
      purge.run(id);
      found.push({ kept: { what: 'removed_entity', id, tenantId, name, atMs: event.atMs } });
      continue;
    }
    const atMs = event?.event === 'deactivated' ? event.atMs : undefined;
    if (status === 'inactive' || (atMs === undefined && now !== 'inactive')) continue;
    deactivate.run(id);
    const missingLine = stateLine({ atMs: nowMs, event: 'deactivated', of: 'entity', id, name });
    found.push({
      kept: { what: 'deactivated_entity', id, tenantId, name, atMs: atMs ?? nowMs },
      ...(atMs === undefined && { missingLine }),
    });
  }
  return found;
}

function tenantsWithSuperUser(registry: Connection): { id: string; name: string }[] {
  return registry
    .prepare<[], { id: string; name: string }>(
      `select id, name from tenants t where exists
        (select 1 from users u where u.tenant_id = t.id and u.role = 'super_user' and u.status = 'active')`,
    )
    .all();
}

/** Nobody could act in such an organization again, and no stopped user is started to prevent that. */
function nobodyLeft(tenants: readonly { id: string; name: string }[], found: readonly Found[]): HkctlError {
  const ids = new Set(tenants.map(({ id }) => id));
  const logins = found
    .filter(({ kept }) => kept.what.endsWith('_user') && ids.has(kept.tenantId))
    .map(({ kept }) => kept.name);
  const names = tenants.map(({ name }) => name).join(', ');
  return new HkctlError(
    'state_forbids',
    `The Super users whom the backup knows were stopped since (${[...new Set(logins)].join(', ')}): nobody could act in ${names}. Nothing was changed.`,
    {
      hint: 'Give one of them the role again (hkctl users set-role, hkctl users activate). Or restore the backup elsewhere with --store PATH, add a Super user there, back that up, and restore that.',
    },
  );
}
