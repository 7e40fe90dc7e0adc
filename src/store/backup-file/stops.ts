import { and, eq, sql } from 'drizzle-orm/sql';
import { type Role, roleExceeds, roleNames } from '../../core/access/roles.ts';
import { type Confinement, commonEntities, isSameEntities } from '../../core/domain/confinement.ts';
import { HkctlError } from '../../core/errors.ts';
import type { AuditHead } from '../../core/port/audit.ts';
import type { KeptStopped } from '../../core/port/stops.ts';
import {
  entitiesEvent,
  entitiesOf,
  type JournalEntry,
  type JournalSummary,
  type LastEvent,
  linesOf,
  readJournal,
} from '../shared/journal-lines.ts';
import { emptyTrail, selectHead } from '../shared/registry/audit.ts';
import {
  placeholders,
  type RegistryStatement,
  statement,
} from '../shared/registry/compiled-statements.ts';
import type { Dialect, Writing } from '../shared/registry/statements.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { sqliteBuilder } from '../tables/kits/sqlite.ts';
import * as backupTables from '../tables/sqlite/registry.ts';

/** What the rows of a store say of something that can be stopped: a key, by its prefix, a user by the login, an entity by the code. */
export interface State extends Pick<KeptStopped, 'id' | 'tenantId' | 'name'> {
  of: JournalEntry['of'];
  status: 'active' | 'inactive';
  /** Of a key: when it was revoked, and the hash of its secret. */
  revokedAtMs?: number | null;
  secretHash?: string;
  /** Of a user, with the name of the organization. */
  role?: Role;
  tenant?: string;
  /** Of a user: the entities to which the user is confined, else null. */
  entityIds?: readonly string[] | null;
}

/** The queries for the states of keys, users and entities. */
export function createStateStatements({ builder, tables }: Dialect, confinesUsers = true) {
  const { keys, users, entities, tenants } = tables;
  const { id, tenantId, code, status } = entities;

  return {
    ofKeys: statement(() =>
      builder
        .select({
          id: keys.id,
          tenantId: keys.tenantId,
          name: keys.prefix,
          revokedAtMs: keys.revokedAtMs,
          secretHash: keys.secretHash,
        })
        .from(keys)
        .orderBy(keys.revokedAtMs, keys.id),
    ),
    ofUsers: statement(() =>
      builder
        .select({
          id: users.id,
          tenantId: users.tenantId,
          name: users.login,
          status: users.status,
          role: users.role,
          entityIds: confinesUsers ? users.entityIds : sql<null>`null`.mapWith(() => null),
          tenant: tenants.name,
        })
        .from(users)
        .innerJoin(tenants, eq(tenants.id, users.tenantId)),
    ),
    ofEntities: statement(() =>
      builder.select({ id, tenantId, name: code, status }).from(entities),
    ),
  };
}

type StateStatements = ReturnType<typeof createStateStatements>;
type RowsOf<Query> = Query extends RegistryStatement<infer Row> ? readonly Row[] : never;

/** The states that the rows of the three queries say. */
export function statesOf(
  keys: RowsOf<StateStatements['ofKeys']>,
  users: RowsOf<StateStatements['ofUsers']>,
  entities: RowsOf<StateStatements['ofEntities']>,
): State[] {
  return [
    ...keys.map((key) => {
      const status = key.revokedAtMs === null ? 'active' : 'inactive';
      return { ...key, of: 'key', status } as const;
    }),
    ...users.map((user) => ({ ...user, of: 'user' }) as const),
    ...entities.map((entity) => ({ ...entity, of: 'entity' }) as const),
  ];
}

/**
 * Reads them, inside a transaction of the caller; `confinesUsers` is false for a store that is not
 * migrated yet to the version that confines users to entities.
 */
export async function readStates(
  { query, dialect }: Writing,
  confinesUsers = true,
): Promise<State[]> {
  const { ofKeys, ofUsers, ofEntities } = createStateStatements(dialect, confinesUsers);
  return statesOf(await query(ofKeys), await query(ofUsers), await query(ofEntities));
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

/** `registry` is that of the present store. */
export async function readPresent(registry: Writing, backup: Connection): Promise<PresentStore> {
  const { query, first, dialect } = registry;
  const { builder, tables } = dialect;
  const { count, hash } = placeholders('count', 'hash');
  const hasRecord = statement(() =>
    builder
      .select({ seq: tables.audit.seq })
      .from(tables.audit)
      .where(and(eq(tables.audit.seq, count), eq(tables.audit.hash, hash))),
  );
  const backupEnd = headOf(backup);

  return {
    states: await readStates(registry),
    trail: (await first(selectHead(dialect))) ?? emptyTrail,
    isContinued: backupEnd !== undefined && (await query(hasRecord, backupEnd)).length > 0,
  };
}

function headOf(backup: Connection): AuditHead | undefined {
  const head = selectHead({ builder: sqliteBuilder, tables: backupTables })();
  const row = backup
    .prepare<unknown[], unknown[]>(head.text)
    .raw()
    .get(...head.valuesOf({}));
  return row && head.rowOf(row);
}

interface Since {
  present: PresentStore;
  journal: JournalSummary;
  nowMs: number;
}

export function stopStatements(
  { builder, tables: { keys, users, entities, purges } }: Dialect,
  { kind, id, atMs, role, entityIds }: KeptStopped,
): RegistryStatement[] {
  const ofKey = eq(keys.id, id);
  const ofUser = eq(users.id, id);
  const ofEntity = eq(entities.id, id);
  const inactive = { status: 'inactive' } as const;

  switch (kind) {
    case 'revoked_key':
      return [statement(() => builder.update(keys).set({ revokedAtMs: atMs }).where(ofKey))];
    case 'deactivated_user':
      return [statement(() => builder.update(users).set(inactive).where(ofUser))];
    case 'demoted_user':
      return [statement(() => builder.update(users).set({ role }).where(ofUser))];
    case 'confined_user': {
      const confinement = { entityIds: [...(entityIds ?? [])] };
      return [statement(() => builder.update(users).set(confinement).where(ofUser))];
    }
    case 'deactivated_entity':
      return [statement(() => builder.update(entities).set(inactive).where(ofEntity))];
    case 'removed_entity':
      return [
        statement(() => builder.delete(entities).where(ofEntity)),
        statement(() => builder.insert(purges).values({ entityId: id }).onConflictDoNothing()),
      ];
  }
}

/** How the journal and a restore name the stop of something. */
const stopOf = {
  key: { event: 'revoked', kind: 'revoked_key' },
  user: { event: 'deactivated', kind: 'deactivated_user' },
  entity: { event: 'deactivated', kind: 'deactivated_entity' },
} as const;

/** What a restore must stop in the store of a backup. An entry of the journal whose commit failed counts too unless it was withdrawn. */
export function stopsSince(
  backup: readonly State[],
  { present, journal, nowMs }: Since,
): KeptStopped[] {
  const states = new Map(present.states.map((state) => [state.id, state]));
  const stops: KeptStopped[] = [];
  for (const state of backup) {
    const { of, id, tenantId, name, status, role } = state;
    const now = states.get(id);
    const last = journal.events.get(id);
    const keep = (
      kind: KeptStopped['kind'],
      atMs: number,
      lower?: Pick<KeptStopped, 'role' | 'entityIds'>,
    ) => stops.push({ kind, id, tenantId, name, atMs, ...lower });
    /** The time of an event that is the last one in the journal; now if only the present store has it. */
    const since = (event: string, holds: boolean) =>
      last?.event === event ? last.atMs : holds ? (now?.revokedAtMs ?? nowMs) : undefined;
    // An entity that still exists was not removed, even if the journal has an entry of a failed removal: its records stay.
    const removedMs = of === 'entity' && !now ? since('removed', present.isContinued) : undefined;
    const stoppedMs =
      status === 'active' ? since(stopOf[of].event, now?.status === 'inactive') : undefined;
    if (removedMs !== undefined) keep('removed_entity', removedMs);
    else if (stoppedMs !== undefined) keep(stopOf[of].kind, stoppedMs);
    const change = journal.roles.get(id);
    const lower = lowest(role, now?.role, roleOf(change));
    const changedMs = change?.event === `role:${lower}` ? change.atMs : nowMs;
    if (lower && lower !== role) keep('demoted_user', changedMs, { role: lower });
    const confined = confinedSince(state, now, journal.entities.get(id));
    if (confined) keep('confined_user', confined.atMs ?? nowMs, { entityIds: confined.entityIds });
  }
  return stops.sort((a, b) => a.atMs - b.atMs);
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
  return entityIds ?? null;
}

function roleOf(last: LastEvent | undefined): Role | undefined {
  return roleNames.find((role) => last?.event === `role:${role}`);
}

function lowest(role: Role | undefined, ...since: (Role | undefined)[]): Role | undefined {
  return since.reduce(
    (lowestRole, next) => (lowestRole && next && roleExceeds(lowestRole, next) ? next : lowestRole),
    role,
  );
}

/** The Super users whose stop leaves an organization without an active one, so that nobody could act in it again. */
export function lastLeadersAmong(
  states: readonly State[],
  stops: readonly KeptStopped[],
): { logins: string; organizations: string } | undefined {
  const stopped = new Set(stops.map(({ id }) => id));
  const leaders = states.filter(({ role, status }) => role === 'super_user' && status === 'active');
  const led = new Set(leaders.filter(({ id }) => !stopped.has(id)).map(({ tenantId }) => tenantId));
  const lost = leaders.filter(({ tenantId }) => !led.has(tenantId));
  if (lost.length === 0) return undefined;
  return {
    logins: lost.map(({ name }) => name).join(', '),
    organizations: [...new Set(lost.map(({ tenant }) => tenant))].join(', '),
  };
}

/** Refuses a restore after which nobody could act in an organization; no stopped user is started to prevent that. */
export function requireLeaders(backup: readonly State[], stops: readonly KeptStopped[]): void {
  const lost = lastLeadersAmong(backup, stops);
  if (lost === undefined) return;
  throw new HkctlError(
    'state_forbids',
    `The Super users whom the backup knows were stopped since (${lost.logins}): nobody could act in ${lost.organizations}. Nothing was changed.`,
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
    const journalRole = roleOf(roles.get(id)) ?? 'super_user';
    if (role && role !== journalRole && withRole?.has(id) !== false) add(`role:${role}`);
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
  const journalEvents = readJournal(text).events;
  const existing = new Set(states.map(({ id }) => id));
  const inBackup = [...readJournal(ofBackup).events].map(([id, last]) => ({ id, ...last }));
  const removed = [
    ...inBackup.filter(({ id, event }) => event === 'removed' && !existing.has(id)),
    ...kept.filter(({ kind }) => kind === 'removed_entity'),
  ].filter(({ id }) => journalEvents.get(id)?.event !== 'removed');
  return linesOf(
    removed.map(({ id, atMs, name }) => ({ atMs, event: 'removed', of: 'entity', id, name })),
  );
}
