import { type Role, roleExceeds, roleNames } from '../../core/access/roles.ts';
import { type Confinement, commonEntities, isSameEntities } from '../../core/domain/confinement.ts';
import { HkctlError } from '../../core/errors.ts';
import type { KeptStopped } from '../../core/operations/backups.ts';
import type { AuditHead } from '../../core/port/audit.ts';
import {
  entitiesEvent,
  entitiesOf,
  type JournalEntry,
  type JournalSummary,
  type LastEvent,
  linesOf,
  readJournal,
} from '../engine/journal-lines.ts';
import { headSql, readHead } from '../registry/audit.ts';
import type { Statements } from '../registry/statements.ts';
import type { Connection } from '../sqlite-database/driver.ts';

/** What the rows of a store say of something that can be stopped: a key, by its prefix, a user by the login, an entity by the code. */
interface State extends Pick<KeptStopped, 'id' | 'tenantId' | 'name'> {
  of: JournalEntry['of'];
  status: 'active' | 'inactive';
  /** Of a key: when it was revoked, and the hash of its secret. */
  revokedAtMs?: number | null;
  secretHash?: string;
  /** Of a user, with the name of the organization. */
  role?: Role;
  tenant?: string;
  /** Of a user: JSON of the entities to which the user is confined, else null. */
  entityIds?: string | null;
}

/** Reads them, inside a transaction of the caller. */
export async function readStates({ query }: Statements): Promise<State[]> {
  const ids = 'id, tenant_id as "tenantId"';
  const keys = `select 'key' as "of", ${ids}, prefix as name, revoked_at_ms as "revokedAtMs", secret_hash as "secretHash",
    case when revoked_at_ms is null then 'active' else 'inactive' end as status from keys order by revoked_at_ms, id`;
  const users = `select 'user' as "of", ${ids}, login as name, status, role, entity_ids as "entityIds",
    (select name from tenants where tenants.id = tenant_id) as tenant from users`;
  const entities = `select 'entity' as "of", ${ids}, code as name, status from entities`;
  return [
    ...(await query<State>(keys)),
    ...(await query<State>(users)),
    ...(await query<State>(entities)),
  ];
}

/** What a restore must know of the store that it replaces, read while no other process can change it. */
export interface PresentStore {
  states: readonly State[];
  /** The head of its trail; null if it cannot be read. */
  trail: AuditHead | null;
  /** Whether its trail continues that of the backup: then an entity of the backup that it does not have was removed since. */
  isContinued: boolean;
}

/** Of a store that is absent or cannot be read: only the journal is known. */
export const unknownPresent: PresentStore = { states: [], trail: null, isContinued: false };

export async function readPresent(
  statements: Statements,
  backup: Connection,
): Promise<PresentStore> {
  const end = backup.prepare<[], AuditHead>(headSql).get();
  const has = 'select 1 as found from audit where seq = $1 and hash = $2';
  return {
    states: await readStates(statements),
    trail: await readHead(statements),
    isContinued:
      end !== undefined && (await statements.first(has, [end.count, end.hash])) !== undefined,
  };
}

interface Since {
  present: PresentStore;
  journal: JournalSummary;
  nowMs: number;
}

type Statement = [sql: string, values: unknown[]];

export function stopStatements({ what, id, atMs, role, entityIds }: KeptStopped): Statement[] {
  if (what === 'revoked_key')
    return [['update keys set revoked_at_ms = $2 where id = $1', [id, atMs]]];
  if (what === 'deactivated_user')
    return [["update users set status = 'inactive' where id = $1", [id]]];
  if (what === 'demoted_user') return [['update users set role = $2 where id = $1', [id, role]]];
  if (what === 'confined_user')
    return [['update users set entity_ids = $2 where id = $1', [id, JSON.stringify(entityIds)]]];
  if (what === 'deactivated_entity') {
    return [["update entities set status = 'inactive' where id = $1", [id]]];
  }
  return [
    ['delete from entities where id = $1', [id]],
    ['insert into purges (entity_id) values ($1) on conflict do nothing', [id]],
  ];
}

/** How the journal and a restore name the stop of something. */
const stopOf = {
  key: { event: 'revoked', what: 'revoked_key' },
  user: { event: 'deactivated', what: 'deactivated_user' },
  entity: { event: 'deactivated', what: 'deactivated_entity' },
} as const;

/** What a restore must stop in the store of a backup. An entry of the journal whose commit failed counts too unless it was withdrawn. */
export function stopsSince(
  backup: readonly State[],
  { present, journal, nowMs }: Since,
): KeptStopped[] {
  const states = new Map(present.states.map((state) => [state.id, state]));
  const kept: KeptStopped[] = [];
  for (const state of backup) {
    const { of, id, tenantId, name, status, role } = state;
    const now = states.get(id);
    const last = journal.events.get(id);
    const keep = (
      what: KeptStopped['what'],
      atMs: number,
      lower?: Pick<KeptStopped, 'role' | 'entityIds'>,
    ) => kept.push({ what, id, tenantId, name, atMs, ...lower });
    /** The time of an event that is the last one in the journal; now if only the present store has it. */
    const since = (event: string, holds: boolean) =>
      last?.event === event ? last.atMs : holds ? (now?.revokedAtMs ?? nowMs) : undefined;
    // An entity that still exists was not removed, even if the journal has an entry of a failed removal: its records stay.
    const removedMs = of === 'entity' && !now ? since('removed', present.isContinued) : undefined;
    const stoppedMs =
      status === 'active' ? since(stopOf[of].event, now?.status === 'inactive') : undefined;
    if (removedMs !== undefined) keep('removed_entity', removedMs);
    else if (stoppedMs !== undefined) keep(stopOf[of].what, stoppedMs);
    const change = journal.roles.get(id);
    const lower = lowest(role, now?.role, roleOf(change));
    const changedMs = change?.event === `role:${lower}` ? change.atMs : nowMs;
    if (lower && lower !== role) keep('demoted_user', changedMs, { role: lower });
    const confined = confinedSince(state, now, journal.entities.get(id));
    if (confined) keep('confined_user', confined.atMs ?? nowMs, { entityIds: confined.entityIds });
  }
  requireLeaders(backup, kept);
  return kept.sort((a, b) => a.atMs - b.atMs);
}

/** The entities to which a user of a backup was confined since; undefined if to none that the backup has not. */
function confinedSince(
  state: State,
  now: State | undefined,
  last: LastEvent | undefined,
): { entityIds: readonly string[]; atMs: number | undefined } | undefined {
  if (state.of !== 'user') return undefined;
  const before = confinementOf(state);
  const inJournal = last ? entitiesOf(last) : null;
  const since = commonEntities(now ? confinementOf(now) : null, inJournal);
  const common = commonEntities(before, since);
  if (common === null || isSameEntities(common, before)) return undefined;
  const isOfJournal = inJournal !== null && isSameEntities(common, inJournal);
  return { entityIds: common, atMs: isOfJournal ? last?.atMs : undefined };
}

function confinementOf({ entityIds }: State): Confinement {
  return typeof entityIds === 'string' ? JSON.parse(entityIds) : null;
}

function roleOf(last: LastEvent | undefined): Role | undefined {
  return roleNames.find((role) => last?.event === `role:${role}`);
}

function lowest(role: Role | undefined, ...since: (Role | undefined)[]): Role | undefined {
  return since.reduce(
    (kept, next) => (kept && next && roleExceeds(kept, next) ? next : kept),
    role,
  );
}

/** Without an active Super user nobody could act in an organization again, and no stopped user is started to prevent that. */
function requireLeaders(backup: readonly State[], kept: readonly KeptStopped[]): void {
  const stopped = new Set(kept.map(({ id }) => id));
  const leaders = backup.filter(({ role, status }) => role === 'super_user' && status === 'active');
  const led = new Set(leaders.filter(({ id }) => !stopped.has(id)).map(({ tenantId }) => tenantId));
  const lost = leaders.filter(({ tenantId }) => !led.has(tenantId));
  if (lost.length === 0) return;
  const logins = lost.map(({ name }) => name).join(', ');
  const names = [...new Set(lost.map(({ tenant }) => tenant))].join(', ');
  throw new HkctlError(
    'state_forbids',
    `The Super users whom the backup knows were stopped since (${logins}): nobody could act in ${names}. Nothing was changed.`,
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
  states: readonly State[],
  nowMs: number,
  withRole?: ReadonlySet<string>,
): string[] {
  const { events, roles, entities } = readJournal(text);
  const missing: JournalEntry[] = [];
  for (const state of states) {
    const { of, id, name, status, role, revokedAtMs, secretHash } = state;
    const add = (event: JournalEntry['event']) =>
      missing.push({ atMs: revokedAtMs ?? nowMs, event, of, id, name, secretHash });
    const event = status === 'active' ? 'activated' : stopOf[of].event;
    // No line starts a key again.
    if (event !== (events.get(id)?.event ?? 'activated') && !(of === 'key' && status === 'active'))
      add(event);
    const known = roleOf(roles.get(id)) ?? 'super_user';
    if (role && role !== known && withRole?.has(id) !== false) add(`role:${role}`);
    const last = entities.get(id);
    const confinement = confinementOf(state);
    if (of === 'user' && !isSameEntities(confinement, last ? entitiesOf(last) : null))
      add(entitiesEvent(confinement));
  }
  return linesOf(missing);
}

/** The lines of removed entities that a journal is missing: nothing else keeps them removed when an older backup is restored. */
export function missingRemovals(
  text: string,
  {
    kept,
    ofBackup,
    states,
  }: { kept: readonly KeptStopped[]; ofBackup: string; states: readonly State[] },
): string[] {
  const known = readJournal(text).events;
  const existing = new Set(states.map(({ id }) => id));
  const inBackup = [...readJournal(ofBackup).events].map(([id, last]) => ({ id, ...last }));
  const removed = [
    ...inBackup.filter(({ id, event }) => event === 'removed' && !existing.has(id)),
    ...kept.filter(({ what }) => what === 'removed_entity'),
  ].filter(({ id }) => known.get(id)?.event !== 'removed');
  return linesOf(
    removed.map(({ id, atMs, name }) => ({ atMs, event: 'removed', of: 'entity', id, name })),
  );
}
