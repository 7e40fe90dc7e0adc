import { eq } from 'drizzle-orm/sql';
import { type Role, roleExceeds, roleNames } from '../../../core/access/roles.ts';
import {
  type Confinement,
  commonEntities,
  isSameEntities,
} from '../../../core/domain/confinement.ts';
import { HkctlError } from '../../../core/errors.ts';
import type { Stop } from '../../../core/port/stops.ts';
import {
  entitiesEvent,
  entitiesOf,
  type JournalEntry,
  type JournalSummary,
  type LastEvent,
  linesOf,
  readJournal,
} from '../revocation-journal.ts';
import {
  type Dialect,
  type RegistryStatement,
  resultOf,
  type StatementSteps,
  statement,
  type Writing,
} from './statements.ts';

/** The state of something that can be stopped, as the rows of a store have it: a key by its prefix, a user by login, an entity by code. */
export interface State extends Pick<Stop, 'id' | 'tenantId' | 'name'> {
  of: JournalEntry['of'];
  status: 'active' | 'inactive';
  /** Of a key: when it was revoked, and the hash of its secret. */
  revokedAtMs?: number | null;
  secretHash?: string;
  /** Of a user, with the name of the organization. */
  role?: Role;
  tenant?: string;
  /** Of a user: the entities to which the user is confined, else null. */
  entityIds?: Confinement;
}

/** Reads the states of everything that can be stopped, inside a transaction of the caller. */
export function* readStates({ query, dialect }: Writing): StatementSteps<State[]> {
  const { ofKeys, ofUsers, ofEntities } = createStateStatements(dialect);
  const keys = yield* resultOf(query(ofKeys));
  const users = yield* resultOf(query(ofUsers));
  const entities = yield* resultOf(query(ofEntities));
  return [
    ...keys.map((key) => {
      const status = key.revokedAtMs === null ? 'active' : 'inactive';
      return { ...key, of: 'key', status } as const;
    }),
    ...users.map((user) => ({ ...user, of: 'user' }) as const),
    ...entities.map((entity) => ({ ...entity, of: 'entity' }) as const),
  ];
}

function createStateStatements({ builder, tables }: Dialect) {
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
          entityIds: users.entityIds,
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

/** The stops that a journal names and the states lack. */
export function stopsMissingIn(
  states: readonly State[],
  { events, roles, entities }: JournalSummary,
): Stop[] {
  const stops: Stop[] = [];
  for (const state of states) {
    const { of, id, tenantId, name, status, role } = state;
    const addStop = (
      kind: Stop['kind'],
      { atMs }: LastEvent,
      lowered?: Pick<Stop, 'role' | 'entityIds'>,
    ) => stops.push({ kind, id, tenantId, name, atMs, ...lowered });

    const lastEvent = events.get(id);
    const isStopped = lastEvent?.event === stopOf[of].event;
    if (of === 'entity' && lastEvent?.event === 'removed') addStop('removed_entity', lastEvent);
    else if (status === 'active' && isStopped) addStop(stopOf[of].kind, lastEvent);

    const roleChange = roles.get(id);
    const journalRole = roleOf(roleChange);
    if (role && roleChange && journalRole && roleExceeds(role, journalRole))
      addStop('demoted_user', roleChange, { role: journalRole });

    const confinement = entities.get(id);
    const commonIds = commonEntities(entityIdsOf(state), confinementIn(confinement));
    if (confinement && commonIds && !isSameEntities(commonIds, entityIdsOf(state)))
      addStop('confined_user', confinement, { entityIds: commonIds });
  }
  return stops.sort((a, b) => a.atMs - b.atMs);
}

/** Makes stops in the rows. */
export function* applyStops(
  { query, dialect }: Writing,
  stops: readonly Stop[],
): StatementSteps<void> {
  const stopping = stops.flatMap((stop) => stopStatements(dialect, stop));
  for (const stopStatement of stopping) yield query(stopStatement);
}

function stopStatements(
  { builder, tables }: Dialect,
  { kind, id, atMs, role, entityIds }: Stop,
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

/** The lines of the stops that the rows of a store have and a journal lacks. */
export function linesMissingIn(
  journalText: string,
  states: readonly State[],
  nowMs: number,
): string[] {
  const { events, roles, entities } = readJournal(journalText);
  const missingEntries: JournalEntry[] = [];
  for (const state of states) {
    const { of, id, name, status, role, revokedAtMs, secretHash } = state;
    const addEntry = (event: JournalEntry['event']) =>
      missingEntries.push({ atMs: revokedAtMs ?? nowMs, event, of, id, name, secretHash });

    const stopEvent = stopOf[of].event;
    if (status === 'inactive' && events.get(id)?.event !== stopEvent) addEntry(stopEvent);

    const journalRole = roleOf(roles.get(id)) ?? 'super_user';
    if (role && roleExceeds(journalRole, role)) addEntry(`role:${role}`);

    const journalIds = confinementIn(entities.get(id));
    const commonIds = commonEntities(journalIds, entityIdsOf(state));
    if (!isSameEntities(commonIds, journalIds)) addEntry(entitiesEvent(commonIds));
  }
  return linesOf(missingEntries);
}

/** The states of a present store, and of the one that is to replace it. */
interface Replacing {
  states: readonly State[];
  restored: readonly State[];
  /** Whether the present trail continues the restored one. */
  isContinued: boolean;
}

/**
 * The lines about removed entities that a journal is missing: of those that only the restored store has any more. A removal that was
 * interrupted is withdrawn, since the present store has the entity.
 */
export function linesOfRemovals(
  journalText: string,
  { states, restored, isContinued }: Replacing,
  atMs: number,
): string[] {
  const { events } = readJournal(journalText);
  const presentIds = new Set(states.map(({ id }) => id));
  const entries: JournalEntry[] = restored
    .filter(({ of }) => of === 'entity')
    .map(({ id, name }) => ({ atMs, event: 'removed', of: 'entity', id, name }));
  const isNoted = ({ id }: JournalEntry) => events.get(id)?.event === 'removed';
  const isPresent = ({ id }: JournalEntry) => presentIds.has(id);

  const interrupted = entries.filter((entry) => isNoted(entry) && isPresent(entry));
  const removed = entries.filter((entry) => !isNoted(entry) && !isPresent(entry));
  return [...linesOf(interrupted, true), ...linesOf(isContinued ? removed : [])];
}

function entityIdsOf({ entityIds }: State): Confinement {
  return entityIds ?? null;
}

function confinementIn(lastEvent: LastEvent | undefined): Confinement {
  return lastEvent ? entitiesOf(lastEvent) : null;
}

function roleOf(lastEvent: LastEvent | undefined): Role | undefined {
  return roleNames.find((role) => lastEvent?.event === `role:${role}`);
}

/** The Super users whose stop leaves an organization without an active one, so that nobody could act in it again. */
export function lastLeadersAmong(
  states: readonly State[],
  stops: readonly Stop[],
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
export function requireLeaders(states: readonly State[], stops: readonly Stop[]): void {
  const lostLeaders = lastLeadersAmong(states, stops);
  if (lostLeaders === undefined) return;
  throw new HkctlError(
    'state_forbids',
    `The Super users whom the backup knows were stopped since (${lostLeaders.logins}): nobody could act in ${lostLeaders.organizations}. Nothing was changed.`,
    {
      hint: 'Give one of them the role again (hkctl users set-role, hkctl users activate). Or restore the backup elsewhere with --store PATH, add a Super user there, back that up, and restore that.',
    },
  );
}
