import { type Role, roleExceeds } from '../../core/access/roles.ts';
import { genesisHash } from '../../core/audit/chain.ts';
import { HkctlError } from '../../core/errors.ts';
import type { KeptStopped } from '../../core/operations/backups.ts';
import type { AuditHead } from '../../core/port/audit.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { Tenant } from '../../core/port/tenants.ts';
import type { User } from '../../core/port/users.ts';
import {
  type JournalSummary,
  keyLine,
  type LastEvent,
  readJournal,
  type StateEntry,
  stateLine,
} from '../engine/journal-lines.ts';
import type { Statements } from '../registry/statements.ts';
import type { Connection } from '../sqlite-database/driver.ts';

/** What the rows of a store say of all that can be stopped. */
export interface RegistryStates {
  tenants: readonly Pick<Tenant, 'id' | 'name'>[];
  users: readonly (Pick<User, 'id' | 'tenantId' | 'login' | 'status'> & { role: Role })[];
  entities: readonly Pick<Entity, 'id' | 'tenantId' | 'code' | 'status'>[];
  keys: readonly { id: string; tenantId: string; prefix: string; secretHash: string; revokedAtMs: number | null }[];
}

/** Reads them, inside a transaction of the caller. */
export async function readStates({ query }: Statements): Promise<RegistryStates> {
  const tenant = 'tenant_id as "tenantId"';
  return {
    tenants: await query('select id, name from tenants'),
    users: await query(`select id, ${tenant}, login, status, role from users`),
    entities: await query(`select id, ${tenant}, code, status from entities`),
    keys: await query(
      `select id, ${tenant}, prefix, secret_hash as "secretHash", revoked_at_ms as "revokedAtMs" from keys
        order by revoked_at_ms, id`,
    ),
  };
}

/** What a restore must know of the store that it replaces, read while no other process can change it. */
export interface PresentStore {
  states: RegistryStates;
  /** The head of its trail; null if it cannot be read. */
  trail: AuditHead | null;
  /** Whether its trail continues that of the backup: then an entity of the backup that it does not have was removed since. */
  isContinued: boolean;
}

/** Of a store that is absent or cannot be read: only the journal is known. */
export const unknownPresent: PresentStore = {
  states: { tenants: [], users: [], entities: [], keys: [] },
  trail: null,
  isContinued: false,
};

/** Reads the store that a restore replaces by a backup. */
export async function readPresent(statements: Statements, backup: Connection): Promise<PresentStore> {
  const end = backup.prepare<[], AuditHead>(headSql).get();
  const has = 'select 1 as found from audit where seq = $1 and hash = $2';
  return {
    states: await readStates(statements),
    trail: (await statements.first<AuditHead>(headSql)) ?? { count: 0, hash: genesisHash },
    isContinued: end !== undefined && (await statements.first(has, [end.count, end.hash])) !== undefined,
  };
}

/** An intact chain has no gaps, so that the last number is the count. */
const headSql = 'select seq as count, hash from audit order by seq desc limit 1';

/** What is known to be stopped since: by the store that is replaced and by the journal. */
interface Since {
  present: PresentStore;
  journal: JournalSummary;
  nowMs: number;
}

/** A statement for `Statements.query`. */
type Statement = [sql: string, values: unknown[]];

/** The statements that stop an object in the registry of either engine. */
export function stopStatements({ what, id, atMs, role }: KeptStopped): Statement[] {
  if (what === 'revoked_key') return [['update keys set revoked_at_ms = $2 where id = $1', [id, atMs]]];
  if (what === 'deactivated_user') return [["update users set status = 'inactive' where id = $1", [id]]];
  if (what === 'demoted_user') return [['update users set role = $2 where id = $1', [id, role]]];
  if (what === 'deactivated_entity') {
    return [["update entities set status = 'inactive' where id = $1", [id]]];
  }
  return [
    ['delete from entities where id = $1', [id]],
    ['insert into purges (entity_id) values ($1) on conflict do nothing', [id]],
  ];
}

/**
 * What a restore must stop in the store of a backup. It starts nothing. An entry of the journal whose commit failed counts too
 * unless it was withdrawn: what it names was about to be stopped. Throws `state_forbids` if an organization would be left
 * without an active Super user.
 */
export function stopsSince(backup: RegistryStates, { present, journal, nowMs }: Since): KeptStopped[] {
  const keys = byId(present.states.keys);
  const users = byId(present.states.users);
  const entities = byId(present.states.entities);
  const kept: KeptStopped[] = [];
  /** The time of an event that is the last one in the journal; now if only the present store has it. */
  const since = (last: LastEvent<string> | undefined, event: string, holds: boolean) =>
    last?.event === event ? last.atMs : holds ? nowMs : undefined;
  for (const { id, tenantId, prefix: name, revokedAtMs } of backup.keys) {
    const atMs = journal.keys.get(id) ?? keys.get(id)?.revokedAtMs ?? null;
    if (revokedAtMs === null && atMs !== null) kept.push({ what: 'revoked_key', id, tenantId, name, atMs });
  }
  kept.sort((a, b) => a.atMs - b.atMs);
  for (const { id, tenantId, login: name, status, role } of backup.users) {
    const now = users.get(id);
    const atMs = since(journal.userStatus.get(id), 'deactivated', now?.status === 'inactive');
    if (status === 'active' && atMs !== undefined) kept.push({ what: 'deactivated_user', id, tenantId, name, atMs });
    const change = journal.userRole.get(id);
    const lower = lowest(role, now?.role, change?.event);
    if (lower === role) continue;
    kept.push({ what: 'demoted_user', id, tenantId, name, atMs: since(change, lower, true) ?? nowMs, role: lower });
  }
  for (const { id, tenantId, code: name, status } of backup.entities) {
    const now = entities.get(id);
    const last = journal.entities.get(id);
    // An entity that still exists was not removed, even if the journal has an entry of a failed removal: its records stay.
    const removedMs = now === undefined ? since(last, 'removed', present.isContinued) : undefined;
    const atMs = removedMs ?? since(last, 'deactivated', now?.status === 'inactive');
    if (removedMs !== undefined) kept.push({ what: 'removed_entity', id, tenantId, name, atMs: removedMs });
    else if (status === 'active' && atMs !== undefined) {
      kept.push({ what: 'deactivated_entity', id, tenantId, name, atMs });
    }
  }
  requireLeaders(backup, kept);
  return kept;
}

function byId<Row extends { id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

/** The lowest of a role and those given since. */
function lowest(role: Role, ...since: (Role | undefined)[]): Role {
  return since.reduce<Role>((kept, next) => (next !== undefined && roleExceeds(kept, next) ? next : kept), role);
}

/** Without an active Super user nobody could act in an organization again, and no stopped user is started to prevent that. */
function requireLeaders({ tenants, users }: RegistryStates, kept: readonly KeptStopped[]): void {
  const stopped = new Set(kept.map(({ id }) => id));
  const leaders = users.filter(({ role, status }) => role === 'super_user' && status === 'active');
  const left = tenants.filter(({ id }) => {
    const own = leaders.filter(({ tenantId }) => tenantId === id);
    return own.length > 0 && own.every((user) => stopped.has(user.id));
  });
  if (left.length === 0) return;
  const names = left.map(({ name }) => name).join(', ');
  const logins = kept.filter(
    ({ what, tenantId }) => what.endsWith('_user') && left.some((tenant) => tenant.id === tenantId),
  );
  throw new HkctlError(
    'state_forbids',
    `The Super users whom the backup knows were stopped since (${[...new Set(logins.map(({ name }) => name))].join(', ')}): nobody could act in ${names}. Nothing was changed.`,
    {
      hint: 'Give one of them the role again (hkctl users set-role, hkctl users activate). Or restore the backup elsewhere with --store PATH, add a Super user there, back that up, and restore that.',
    },
  );
}

/**
 * The lines that a journal is missing to say what a store says: of an engine whose rows are the record of what is stopped, and
 * that writes lines only for rows that go; and of a store that was restored from a backup of another one. Of other users than
 * `withRole` the role needs no line, since they never had a higher one.
 */
export function missingLines(
  text: string,
  { keys, users, entities }: RegistryStates,
  nowMs: number,
  withRole?: ReadonlySet<string>,
): string[] {
  const journal = readJournal(text);
  const lines: string[] = [];
  for (const { id: keyId, revokedAtMs: atMs, ...key } of keys) {
    if (atMs !== null && !journal.keys.has(keyId)) lines.push(keyLine('revoked', { atMs, keyId, ...key }));
  }
  const add = (entry: Omit<StateEntry, 'atMs'>) => lines.push(stateLine({ ...entry, atMs: nowMs }));
  for (const { id, login: name, status, role } of users) {
    const event = missingState(status, journal.userStatus.get(id)?.event);
    if (event) add({ event, of: 'user', id, name });
    const known = journal.userRole.get(id)?.event ?? 'super_user';
    if (known !== role && withRole?.has(id) !== false) add({ event: `role:${role}`, of: 'user', id, name });
  }
  for (const { id, code: name, status } of entities) {
    const event = missingState(status, journal.entities.get(id)?.event);
    if (event) add({ event, of: 'entity', id, name });
  }
  return lines;
}

/** The event that is missing in a journal whose last one is `last`; an existing object was not removed. */
function missingState(status: 'active' | 'inactive', last = 'activated'): 'deactivated' | 'activated' | undefined {
  const event = status === 'inactive' ? 'deactivated' : 'activated';
  return event === last ? undefined : event;
}

/**
 * The lines of removed entities that a journal is missing: of those that a restore kept removed, and of those in the journal of its
 * backup. Their rows are gone, so that nothing else would keep them removed when an older backup is restored.
 */
export function missingRemovals(
  text: string,
  { kept, ofBackup, entities }: { kept: readonly KeptStopped[]; ofBackup: string } & Pick<RegistryStates, 'entities'>,
): string[] {
  const known = readJournal(text).entities;
  const existing = byId(entities);
  const removed = new Map([...readJournal(ofBackup).entities].filter(([id]) => !existing.has(id)));
  for (const { what, id, ...entity } of kept) {
    if (what === 'removed_entity') removed.set(id, { ...entity, event: 'removed' });
  }
  return [...removed]
    .filter(([id, { event }]) => event === 'removed' && known.get(id)?.event !== 'removed')
    .map(([id, { atMs, name }]) => stateLine({ atMs, event: 'removed', of: 'entity', id, name }));
}
