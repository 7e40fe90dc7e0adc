import { type Role, roleExceeds } from '../../core/access/roles.ts';
import { HkctlError } from '../../core/errors.ts';
import type { KeptStopped } from '../../core/operations/backups.ts';
import type { JournalSummary } from '../engine/journal-lines.ts';
import type { PresentStore, RegistryStates } from './states.ts';

/** What is known to be stopped since: by the store that is replaced and by the journal. */
interface Since {
  present: PresentStore;
  journal: JournalSummary;
  nowMs: number;
}

/** A statement with its name, for `Statements.query`. */
type Statement = [name: string, sql: string, values: unknown[]];

/** The statements that stop an object in the registry of either engine. */
export function stopStatements({ what, id, atMs, role }: KeptStopped): Statement[] {
  if (what === 'revoked_key') return [['stop.key', 'update keys set revoked_at_ms = $2 where id = $1', [id, atMs]]];
  if (what === 'deactivated_user') return [['stop.user', "update users set status = 'inactive' where id = $1", [id]]];
  if (what === 'demoted_user') return [['stop.role', 'update users set role = $2 where id = $1', [id, role]]];
  if (what === 'deactivated_entity') {
    return [['stop.entity', "update entities set status = 'inactive' where id = $1", [id]]];
  }
  return [
    ['stop.removed', 'delete from entities where id = $1', [id]],
    ['stop.purge', 'insert into purges (entity_id) values ($1) on conflict do nothing', [id]],
  ];
}

/**
 * What a restore must stop in the store of a backup. It starts nothing. An entry of the journal whose commit failed counts too
 * unless it was withdrawn: what it names was about to be stopped. Throws `state_forbids` if an organization would be left
 * without an active Super user.
 */
export function stopsSince(backup: RegistryStates, since: Since): KeptStopped[] {
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

function keyStops({ keys }: RegistryStates, { present, journal }: Since): KeptStopped[] {
  const active = new Map(keys.filter(({ revokedAtMs }) => revokedAtMs === null).map((key) => [key.id, key]));
  const revoked = new Map<string, number>();
  for (const { id, revokedAtMs } of present.states.keys) if (revokedAtMs !== null) revoked.set(id, revokedAtMs);
  for (const [id, atMs] of journal.keys) revoked.set(id, atMs);
  const stops: KeptStopped[] = [];
  for (const [id, atMs] of revoked) {
    const key = active.get(id);
    if (key) stops.push({ what: 'revoked_key', id, tenantId: key.tenantId, name: key.prefix, atMs });
  }
  return stops;
}

function userStops({ users }: RegistryStates, { present, journal, nowMs }: Since): KeptStopped[] {
  const presentUsers = byId(present.states.users);
  const stops: KeptStopped[] = [];
  for (const { login: name, ...user } of users) {
    const of = { id: user.id, tenantId: user.tenantId, name };
    const now = presentUsers.get(user.id);
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

function byId<Row extends { id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

/** The lowest of a role and those given since. */
function lowest(role: Role, ...since: (Role | undefined)[]): Role {
  return since.reduce<Role>((kept, next) => (next !== undefined && roleExceeds(kept, next) ? next : kept), role);
}

function entityStops({ entities }: RegistryStates, { present, journal, nowMs }: Since): KeptStopped[] {
  const presentEntities = byId(present.states.entities);
  const stops: KeptStopped[] = [];
  for (const { code: name, id, tenantId, status } of entities) {
    const event = journal.entities.get(id);
    const now = presentEntities.get(id)?.status;
    // An entity that still exists was not removed, even if the journal has an entry of a failed removal: its records stay.
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
