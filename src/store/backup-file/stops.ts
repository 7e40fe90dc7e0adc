import { and, eq, sql } from 'drizzle-orm/sql';
import { type Role, roleExceeds, roleNames } from '../../core/access/roles.ts';
import { type Confinement, commonEntities, isSameEntities } from '../../core/domain/confinement.ts';
import { HkctlError } from '../../core/errors.ts';
import type { AuditHead } from '../../core/port/audit.ts';
import type { KeptStopped } from '../../core/port/stops.ts';
import { emptyTrail, selectHead } from '../shared/registry/audit.ts';
import {
  placeholders,
  type RegistryStatement,
  statement,
} from '../shared/registry/compiled-statements.ts';
import type { Dialect, Writing } from '../shared/registry/statements.ts';
import {
  entitiesEvent,
  entitiesOf,
  type JournalEntry,
  type JournalSummary,
  type LastEvent,
  linesOf,
  readJournal,
} from '../shared/revocation-journal.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { sqliteBuilder } from '../tables/kits/sqlite.ts';
import * as backupTables from '../tables/sqlite/registry.ts';

/** The state of something that can be stopped, as the rows of a store have it: a key by its prefix, a user by login, an entity by code. */
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
 * Reads the states of a store, inside a transaction of the caller; `confinesUsers` is false for a store that is not
 * migrated yet to the version that confines users to entities.
 */
export async function readStates(
  { query, dialect }: Writing,
  confinesUsers = true,
): Promise<State[]> {
  const { ofKeys, ofUsers, ofEntities } = createStateStatements(dialect, confinesUsers);
  const keys = await query(ofKeys);
  const users = await query(ofUsers);
  const entities = await query(ofEntities);
  return statesOf(keys, users, entities);
}

/** The store that a restore replaces, read while no other process can change it. */
export interface PresentStore {
  states: readonly State[];
  /** The head of its trail; null if it cannot be read. */
  trail: AuditHead | null;
  /** Whether its trail continues the backup's trail: then an entity of the backup that it does not have was removed since. */
  isContinued: boolean;
}

/** A store that is absent or cannot be read: only its journal is known. */
export const unknownPresent: PresentStore = { states: [], trail: null, isContinued: false };

/** Reads the present store through its `registry`. */
export async function readPresent(registry: Writing, backup: Connection): Promise<PresentStore> {
  const { query, first, dialect } = registry;
  const { builder } = dialect;
  const { audit } = dialect.tables;
  const { count, hash } = placeholders('count', 'hash');
  const findRecord = statement(() =>
    builder
      .select({ seq: audit.seq })
      .from(audit)
      .where(and(eq(audit.seq, count), eq(audit.hash, hash))),
  );
  const hasRecord = async (head: AuditHead) => (await query(findRecord, head)).length > 0;
  const backupEnd = headOf(backup);

  return {
    states: await readStates(registry),
    trail: (await first(selectHead(dialect))) ?? emptyTrail,
    isContinued: backupEnd !== undefined && (await hasRecord(backupEnd)),
  };
}

function headOf(backup: Connection): AuditHead | undefined {
  const headStatement = selectHead({ builder: sqliteBuilder, tables: backupTables })();
  const headRow = backup
    .prepare<unknown[], unknown[]>(headStatement.text)
    .raw()
    .get(...headStatement.valuesOf({}));
  return headRow && headStatement.rowOf(headRow);
}

interface Since {
  present: PresentStore;
  journal: JournalSummary;
  nowMs: number;
}

export function stopStatements(
  { builder, tables }: Dialect,
  { kind, id, atMs, role, entityIds }: KeptStopped,
): RegistryStatement[] {
  const { keys, users, entities, purges } = tables;
  const ofEntity = eq(entities.id, id);
  const updateUser = (changes: Partial<typeof users.$inferInsert>) =>
    statement(() => builder.update(users).set(changes).where(eq(users.id, id)));

  switch (kind) {
    case 'revoked_key':
      return [
        statement(() => builder.update(keys).set({ revokedAtMs: atMs }).where(eq(keys.id, id))),
      ];
    case 'deactivated_user':
      return [updateUser({ status: 'inactive' })];
    case 'demoted_user':
      return [updateUser({ role })];
    case 'confined_user':
      return [updateUser({ entityIds: [...(entityIds ?? [])] })];
    case 'deactivated_entity':
      return [
        statement(() => builder.update(entities).set({ status: 'inactive' }).where(ofEntity)),
      ];
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

/** The stops that a restore must repeat. An entry of the journal whose commit failed counts too unless it was withdrawn. */
export function stopsSince(
  backup: readonly State[],
  { present, journal, nowMs }: Since,
): KeptStopped[] {
  const presentStates = new Map(present.states.map((state) => [state.id, state]));
  const stops: KeptStopped[] = [];

  for (const state of backup) {
    const { of, id, tenantId, name, status, role } = state;
    const presentState = presentStates.get(id);
    const lastEvent = journal.events.get(id);
    const addStop = (
      kind: KeptStopped['kind'],
      atMs: number,
      lowered?: Pick<KeptStopped, 'role' | 'entityIds'>,
    ) => stops.push({ kind, id, tenantId, name, atMs, ...lowered });
    /** The time of an event that is the last one in the journal; now if only the present store has it. */
    const stoppedSince = (event: string, holds: boolean) => {
      if (lastEvent?.event === event) return lastEvent.atMs;
      return holds ? (presentState?.revokedAtMs ?? nowMs) : undefined;
    };

    // An entity that still exists was not removed, even if the journal has an entry of a failed removal: its records stay.
    const mayBeRemoved = of === 'entity' && !presentState;
    const removedMs = mayBeRemoved ? stoppedSince('removed', present.isContinued) : undefined;
    const isStopped = presentState?.status === 'inactive';
    const stoppedMs = status === 'active' ? stoppedSince(stopOf[of].event, isStopped) : undefined;
    if (removedMs !== undefined) addStop('removed_entity', removedMs);
    else if (stoppedMs !== undefined) addStop(stopOf[of].kind, stoppedMs);

    const roleChange = journal.roles.get(id);
    const lowestRole = lowestOf(role, presentState?.role, roleOf(roleChange));
    const changedMs = roleChange?.event === `role:${lowestRole}` ? roleChange.atMs : nowMs;
    if (lowestRole && lowestRole !== role) addStop('demoted_user', changedMs, { role: lowestRole });

    const confinement = confinedSince(state, presentState, journal.entities.get(id));
    if (confinement) {
      const { entityIds, atMs = nowMs } = confinement;
      addStop('confined_user', atMs, { entityIds });
    }
  }
  return stops.sort((a, b) => a.atMs - b.atMs);
}

/** The entities to which a user was confined since the backup; undefined if the backup has the same confinement already. */
function confinedSince(
  state: State,
  presentState: State | undefined,
  lastEvent: LastEvent | undefined,
): { entityIds: readonly string[]; atMs: number | undefined } | undefined {
  if (state.of !== 'user') return undefined;
  const backupEntities = confinementOf(state);
  const journalEntities = lastEvent ? entitiesOf(lastEvent) : null;
  const presentEntities = presentState ? confinementOf(presentState) : null;
  const sinceBackup = commonEntities(presentEntities, journalEntities);
  const common = commonEntities(backupEntities, sinceBackup);
  if (common === null || isSameEntities(common, backupEntities)) return undefined;

  const isOfJournal = journalEntities !== null && isSameEntities(common, journalEntities);
  return { entityIds: common, atMs: isOfJournal ? lastEvent?.atMs : undefined };
}

function confinementOf({ entityIds }: State): Confinement {
  return entityIds ?? null;
}

function roleOf(lastEvent: LastEvent | undefined): Role | undefined {
  return roleNames.find((role) => lastEvent?.event === `role:${role}`);
}

function lowestOf(role: Role | undefined, ...laterRoles: (Role | undefined)[]): Role | undefined {
  return laterRoles.reduce((lowestRole, laterRole) => {
    const isLower = lowestRole && laterRole && roleExceeds(lowestRole, laterRole);
    return isLower ? laterRole : lowestRole;
  }, role);
}

/** The Super users whose stop leaves an organization without an active one, so that nobody could act in it again. */
export function lastLeadersAmong(
  states: readonly State[],
  stops: readonly KeptStopped[],
): { logins: string; organizations: string } | undefined {
  const stoppedIds = new Set(stops.map(({ id }) => id));
  const leaders = states.filter(({ role, status }) => role === 'super_user' && status === 'active');
  const remainingLeaders = leaders.filter(({ id }) => !stoppedIds.has(id));
  const ledTenants = new Set(remainingLeaders.map(({ tenantId }) => tenantId));
  const lostLeaders = leaders.filter(({ tenantId }) => !ledTenants.has(tenantId));
  if (lostLeaders.length === 0) return undefined;

  const logins = lostLeaders.map(({ name }) => name);
  const organizations = new Set(lostLeaders.map(({ tenant }) => tenant));
  return { logins: logins.join(', '), organizations: [...organizations].join(', ') };
}

/** Refuses a restore after which nobody could act in an organization; no stopped user is started to prevent that. */
export function requireLeaders(backup: readonly State[], stops: readonly KeptStopped[]): void {
  const lostLeaders = lastLeadersAmong(backup, stops);
  if (lostLeaders === undefined) return;
  throw new HkctlError(
    'state_forbids',
    `The Super users whom the backup knows were stopped since (${lostLeaders.logins}): nobody could act in ${lostLeaders.organizations}. Nothing was changed.`,
    {
      hint: 'Give one of them the role again (hkctl users set-role, hkctl users activate). Or restore the backup elsewhere with --store PATH, add a Super user there, back that up, and restore that.',
    },
  );
}

/**
 * The lines that a journal is missing to agree with the rows of a store: of an engine whose rows record the stops, and that writes
 * lines only for rows that go; and of a store that was restored from a backup of another one. The role of a user who is not in
 * `withRole` needs no line, since the user never had a higher one.
 */
export function missingLines(
  journalText: string,
  states: readonly State[],
  nowMs: number,
  withRole?: ReadonlySet<string>,
): string[] {
  const { events, roles, entities } = readJournal(journalText);
  const missingEntries: JournalEntry[] = [];
  for (const state of states) {
    const { of, id, name, status, role, revokedAtMs, secretHash } = state;
    const atMs = revokedAtMs ?? nowMs;
    const addEntry = (event: JournalEntry['event']) =>
      missingEntries.push({ atMs, event, of, id, name, secretHash });

    const event = status === 'active' ? 'activated' : stopOf[of].event;
    const journalEvent = events.get(id)?.event ?? 'activated';
    // No line starts a key again.
    const isActiveKey = of === 'key' && status === 'active';
    if (event !== journalEvent && !isActiveKey) addEntry(event);

    const journalRole = roleOf(roles.get(id)) ?? 'super_user';
    if (role && role !== journalRole && withRole?.has(id) !== false) addEntry(`role:${role}`);

    const lastEvent = entities.get(id);
    const journalEntities = lastEvent ? entitiesOf(lastEvent) : null;
    const confinement = confinementOf(state);
    if (of === 'user' && !isSameEntities(confinement, journalEntities))
      addEntry(entitiesEvent(confinement));
  }
  return linesOf(missingEntries);
}

/** The lines of removed entities that a journal is missing: nothing else keeps them removed when an older backup is restored. */
export function missingRemovals(
  journalText: string,
  { kept, ofBackup, states }: RestoredStore,
): string[] {
  const journalEvents = readJournal(journalText).events;
  const existingIds = new Set(states.map(({ id }) => id));
  const backupEvents = [...readJournal(ofBackup).events];
  const backupEntries = backupEvents.map(([id, lastEvent]) => ({ id, ...lastEvent }));

  const removals = [
    ...backupEntries.filter(({ id, event }) => event === 'removed' && !existingIds.has(id)),
    ...kept.filter(({ kind }) => kind === 'removed_entity'),
  ];
  const missingEntries = removals.filter(({ id }) => journalEvents.get(id)?.event !== 'removed');
  return linesOf(
    missingEntries.map(({ id, atMs, name }) => ({
      atMs,
      event: 'removed',
      of: 'entity',
      id,
      name,
    })),
  );
}

interface RestoredStore {
  /** The stops that the restore repeats. */
  kept: readonly KeptStopped[];
  /** The journal of the backup. */
  ofBackup: string;
  states: readonly State[];
}
