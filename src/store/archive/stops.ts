import { type Role, roleExceeds } from '../../core/access/roles.ts';
import { HkctlError } from '../../core/errors.ts';
import type { KeptStopped } from '../../core/operations/backups.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { Tenant } from '../../core/port/tenants.ts';
import type { User } from '../../core/port/users.ts';
import type { JournalSummary } from '../journal-lines.ts';
import type { PresentStore } from './present-store.ts';

/** A key of a backup that is not revoked in it. */
export interface LiveKey {
  id: string;
  tenantId: string;
  prefix: string;
  secretHash: string;
}

/** The objects of a backup that can be stopped. */
export interface Stoppable {
  tenants: readonly Pick<Tenant, 'id' | 'name'>[];
  users: readonly Pick<User, 'id' | 'tenantId' | 'login' | 'status' | 'role'>[];
  entities: readonly Pick<Entity, 'id' | 'tenantId' | 'code' | 'status'>[];
  /** Of the keys that `revokedSince` names, those that are not revoked in the backup. */
  keys: readonly LiveKey[];
}

/** What is known to be stopped since: by the store that is replaced and by the journal. */
interface Since {
  present: PresentStore;
  journal: JournalSummary;
  nowMs: number;
}

/** SQL for the objects of a backup, in both engines; SQLite has them in the order in which they were made. */
export const stoppableSql = {
  tenants: 'select id, name from tenants',
  users: 'select id, tenant_id as "tenantId", login, status, role from users',
  entities: 'select id, tenant_id as "tenantId", code, status from entities',
  /** A condition on the id follows. */
  keys: `select id, tenant_id as "tenantId", prefix, secret_hash as "secretHash" from keys
    where revoked_at_ms is null and id`,
} as const;

/** The statements that stop an object in the registry of either engine; each parameter is a `?`. */
export function stopStatements({ what, id, atMs, role }: KeptStopped): [sql: string, values: unknown[]][] {
  if (what === 'revoked_key') return [['update keys set revoked_at_ms = ? where id = ?', [atMs, id]]];
  if (what === 'deactivated_user') return [["update users set status = 'inactive' where id = ?", [id]]];
  if (what === 'demoted_user') return [['update users set role = ? where id = ?', [role, id]]];
  if (what === 'deactivated_entity') return [["update entities set status = 'inactive' where id = ?", [id]]];
  return [
    ['delete from entities where id = ?', [id]],
    ['insert into purges (entity_id) values (?) on conflict do nothing', [id]],
  ];
}

/** Ids of all keys that were ever revoked, with the time. */
export function revokedSince({ present, journal }: Pick<Since, 'present' | 'journal'>): ReadonlyMap<string, number> {
  return new Map([...present.revoked, ...journal.keys]);
}

/**
 * What a restore must stop in the store of a backup. It starts nothing. An entry of the journal whose commit failed counts too
 * unless it was withdrawn: what it names was about to be stopped. Throws `state_forbids` where an organization would be left
 * without an active Super user.
 */
export function stopsSince(backup: Stoppable, since: Since): KeptStopped[] {
  const kept = [...keyStops(backup, since), ...userStops(backup, since), ...entityStops(backup, since)];
  const off = new Set(
    kept
      .filter(({ what, role }) => what === 'deactivated_user' || (what === 'demoted_user' && role !== 'super_user'))
      .map(({ id }) => id),
  );
  const leaders = backup.users.filter(({ role, status }) => role === 'super_user' && status === 'active');
  const led = new Set(leaders.map(({ tenantId }) => tenantId));
  const still = new Set(leaders.filter(({ id }) => !off.has(id)).map(({ tenantId }) => tenantId));
  const left = backup.tenants.filter(({ id }) => led.has(id) && !still.has(id));
  if (left.length > 0) throw nobodyLeft(left, kept);
  return kept;
}

function keyStops({ keys }: Stoppable, since: Since): KeptStopped[] {
  const live = new Map(keys.map((key) => [key.id, key]));
  const stops: KeptStopped[] = [];
  for (const [id, atMs] of revokedSince(since)) {
    const key = live.get(id);
    if (key) stops.push({ what: 'revoked_key', id, tenantId: key.tenantId, name: key.prefix, atMs });
  }
  return stops;
}

function userStops({ users }: Stoppable, { present, journal, nowMs }: Since): KeptStopped[] {
  const stops: KeptStopped[] = [];
  for (const { login: name, ...user } of users) {
    const of = { id: user.id, tenantId: user.tenantId, name };
    const now = present.users.get(user.id);
    const status = journal.userStatus.get(user.id);
    const atMs = status?.event === 'deactivated' ? status.atMs : undefined;
    if (user.status === 'active' && (atMs !== undefined || now?.status === 'inactive')) {
      stops.push({ what: 'deactivated_user', ...of, atMs: atMs ?? nowMs });
    }
    const change = journal.userRole.get(user.id);
    const role = lowest(user.role, now?.role, change?.event);
    if (role !== user.role) {
      stops.push({ what: 'demoted_user', ...of, atMs: change?.event === role ? change.atMs : nowMs, role });
    }
  }
  return stops;
}

/** The lowest of a role and those given since. */
function lowest(role: Role, ...since: (Role | undefined)[]): Role {
  return since.reduce<Role>((kept, next) => (next !== undefined && roleExceeds(kept, next) ? next : kept), role);
}

function entityStops({ entities }: Stoppable, { present, journal, nowMs }: Since): KeptStopped[] {
  const stops: KeptStopped[] = [];
  for (const { code: name, id, tenantId, status } of entities) {
    const event = journal.entities.get(id);
    const now = present.entities.get(id);
    // An entity that is still there was not removed, even if the journal has an entry of a failed removal: its records stay.
    if (now === undefined && (event?.event === 'removed' || present.isContinued)) {
      const removedMs = event?.event === 'removed' ? event.atMs : undefined;
      stops.push({ what: 'removed_entity', id, tenantId, name, atMs: removedMs ?? nowMs });
      continue;
    }
    const atMs = event?.event === 'deactivated' ? event.atMs : undefined;
    if (status === 'inactive' || (atMs === undefined && now !== 'inactive')) continue;
    stops.push({ what: 'deactivated_entity', id, tenantId, name, atMs: atMs ?? nowMs });
  }
  return stops;
}

/** Nobody could act in such an organization again, and no stopped user is started to prevent that. */
function nobodyLeft(tenants: readonly { id: string; name: string }[], kept: readonly KeptStopped[]): HkctlError {
  const ids = new Set(tenants.map(({ id }) => id));
  const logins = kept
    .filter(({ what, tenantId }) => what.endsWith('_user') && ids.has(tenantId))
    .map(({ name }) => name);
  const names = tenants.map(({ name }) => name).join(', ');
  return new HkctlError(
    'state_forbids',
    `The Super users whom the backup knows were stopped since (${[...new Set(logins)].join(', ')}): nobody could act in ${names}. Nothing was changed.`,
    {
      hint: 'Give one of them the role again (hkctl users set-role, hkctl users activate). Or restore the backup elsewhere with --store PATH, add a Super user there, back that up, and restore that.',
    },
  );
}
