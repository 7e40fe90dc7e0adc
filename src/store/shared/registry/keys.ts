import {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm/sql';
import { alias } from 'drizzle-orm/sqlite-core';
import type { KeyFilter, KeyPageRequest, KeyStatus, KeyStore } from '../../../core/port/keys.ts';
import { createKeyChanges } from './key-changes.ts';
import { type Dialect, placeholders, type Runner, statement } from './statements.ts';

export function createKeyStore(
  runner: Runner,
  engine: Pick<KeyStore, 'changeCounter' | 'awaitPending' | 'recordUse'>,
): KeyStore {
  const { query, first, dialect } = runner;
  const { keys } = dialect.tables;
  const statements = createStatements(dialect);
  const newestFirst = [desc(keys.createdAtMs), desc(keys.id)];
  const soonestFirst = [asc(keys.expiresAtMs), asc(keys.id)];

  return {
    ...engine,
    list(tenantId, filter, page) {
      const condition = and(
        listCondition(dialect, tenantId, filter),
        afterCondition(dialect, filter, page),
      );
      const order = filter.expiringByMs === undefined ? newestFirst : soonestFirst;
      return query(
        statement(() =>
          selectKeys(dialect)
            .where(condition)
            .orderBy(...order)
            .limit(page.limit),
        ),
      );
    },
    async count(tenantId, filter) {
      const condition = listCondition(dialect, tenantId, filter);
      const countMatching = statement(() => countKeys(dialect).where(condition));
      const counted = await first(countMatching);
      return counted?.count ?? 0;
    },
    find: (tenantId, ref) => first(statements.byRef, { tenantId, ref }),
    findByHash: (tenantId, secretHash) => first(statements.byHash, { tenantId, secretHash }),
    async prefixTaken(prefix) {
      const key = await first(statements.withPrefix, { prefix });
      return key !== undefined;
    },
    credential: (secretHash) => first(statements.credential, { secretHash }),
    activeOf(owner, nowMs) {
      if ('createdBy' in owner)
        return query(statements.activeOfUser, { nowMs, ownerId: owner.createdBy });
      return query(statements.activeOfEntity, { nowMs, ownerId: owner.entityId });
    },
    ...createKeyChanges(runner),
  };
}

function createStatements(dialect: Dialect) {
  const { builder } = dialect;
  const { keys } = dialect.tables;
  const { tenantId, ref, prefix, secretHash, ownerId, nowMs } = placeholders(
    'tenantId',
    'ref',
    'prefix',
    'secretHash',
    'ownerId',
    'nowMs',
  );
  const ofTenant = eq(keys.tenantId, tenantId);
  const hasRef = or(eq(keys.id, ref), eq(keys.prefix, ref));
  const hasHash = eq(keys.secretHash, secretHash);
  const activeOf = (isOwned: SQL) =>
    statement(() =>
      selectKeys(dialect)
        .where(and(isOwned, hasStatus(dialect, 'Active', sql`${nowMs}`)))
        .orderBy(desc(keys.createdAtMs), desc(keys.id)),
    );

  return {
    byRef: statement(() => selectKeys(dialect).where(and(ofTenant, hasRef))),
    byHash: statement(() => selectKeys(dialect).where(and(ofTenant, hasHash))),
    withPrefix: statement(() => {
      const selectId = builder.select({ id: keys.id }).from(keys);
      return selectId.where(eq(keys.prefix, prefix));
    }),
    credential: statement(() => selectCredentials(dialect).where(hasHash)),
    activeOfUser: activeOf(eq(keys.createdBy, ownerId)),
    activeOfEntity: activeOf(eq(keys.entityId, ownerId)),
  };
}

/** Keys with all that lists and details show of them. */
function selectKeys({ builder, tables, lastUse }: Dialect) {
  const { keys, users, entities } = tables;
  const { id, tenantId, prefix, name, permissions, createdAtMs, expiresAtMs, revokedAtMs } = keys;
  const { rotatedFrom, rotatedTo, allowedIps, note } = keys;
  const revokers = alias(users, 'revokers');

  const query = builder
    .select({
      id,
      tenantId,
      prefix,
      name,
      permissions,
      entity: entityFields(entities),
      createdBy: { id: users.id, login: users.login, name: users.name },
      creatorStatus: users.status,
      createdAtMs,
      expiresAtMs,
      lastUsedAtMs: lastUse.atMs,
      revokedAtMs,
      revokedBy: { login: revokers.login, name: revokers.name },
      rotatedFrom,
      rotatedTo,
      allowedIps,
      note,
      lastUsedIp: lastUse.ip,
    })
    .from(keys)
    .innerJoin(users, eq(users.id, keys.createdBy))
    .leftJoin(entities, eq(entities.id, keys.entityId))
    .leftJoin(revokers, eq(revokers.id, keys.revokedBy));

  return lastUse.joinTo(query.$dynamic());
}

/** Keys with all that the check of an API call needs. */
function selectCredentials({ builder, tables }: Dialect) {
  const { keys, users, entities, tenants } = tables;
  const { prefix, name, permissions, expiresAtMs, revokedAtMs, allowedIps } = keys;
  const { weekStart, retainReadingsDays } = tenants;

  return builder
    .select({
      keyId: keys.id,
      prefix,
      name,
      permissions,
      expiresAtMs,
      revokedAtMs,
      allowedIps,
      entity: entityFields(entities),
      creatorStatus: users.status,
      tenant: { id: tenants.id, name: tenants.name, weekStart, retainReadingsDays },
    })
    .from(keys)
    .innerJoin(users, eq(users.id, keys.createdBy))
    .leftJoin(entities, eq(entities.id, keys.entityId))
    .innerJoin(tenants, eq(tenants.id, keys.tenantId));
}

function entityFields({ id, code, name, timezone, status }: Dialect['tables']['entities']) {
  return { id, code, name, timezone, status };
}

function countKeys({ builder, tables, lastUse }: Dialect) {
  const query = builder.select({ count: sql<number>`count(*)` }).from(tables.keys);
  return lastUse.joinTo(query.$dynamic());
}

/**
 * The condition of a list of keys, written so that SQLite picks the index that reads the fewest rows. Only a search by name, note or
 * entity reads all keys of the tenant. A text that begins a prefix finds by that alone.
 */
function listCondition(dialect: Dialect, tenantId: string, filter: KeyFilter): SQL | undefined {
  const { keys } = dialect.tables;
  const { nowMs, expiringByMs, search, statuses = [] } = filter;
  const { entityId, entityIds, unusedSinceMs, createdBeforeMs, expiredSinceMs, name } = filter;
  const { withoutIndex } = dialect;

  const isPrefix = search !== undefined && /^hk_[0-9A-Za-z]{1,5}$/.test(search);
  const ofTenant = eq(keys.tenantId, tenantId);
  const hasAnyStatus = statuses.length === 0 || statuses.length === 3;
  const isExpiringBy = (untilMs: number) =>
    and(isNull(keys.revokedAtMs), gt(keys.expiresAtMs, nowMs), lte(keys.expiresAtMs, untilMs));
  const hasOneOf = () => {
    const conditions = statuses.map((status) => hasStatus(dialect, status, sql`${nowMs}`));
    return or(...conditions);
  };

  return and(
    isPrefix ? withoutIndex(ofTenant) : ofTenant,
    hasAnyStatus ? undefined : hasOneOf(),
    entityId === undefined ? undefined : eq(keys.entityId, entityId),
    entityIds === undefined ? undefined : inArray(keys.entityId, [...entityIds]),
    unusedSinceMs === undefined ? undefined : isUnusedSince(dialect, unusedSinceMs),
    createdBeforeMs === undefined ? undefined : lt(keys.createdAtMs, createdBeforeMs),
    name === undefined ? undefined : eq(keys.name, name),
    filter.refused ? isOfInactiveOwner(dialect) : undefined,
    filter.livesLongerThanMs === undefined
      ? undefined
      : livesLongerThan(dialect, filter.livesLongerThanMs),
    expiredSinceMs === undefined ? undefined : isMissedSince(dialect, expiredSinceMs, nowMs),
    expiringByMs === undefined ? undefined : isExpiringBy(expiringByMs),
    isPrefix ? beginsPrefix(dialect, search) : undefined,
    search && !isPrefix ? isFoundBy(dialect, search) : undefined,
  );
}

function hasStatus({ tables }: Dialect, status: KeyStatus, nowMs: SQL): SQL | undefined {
  const { keys } = tables;
  if (status === 'Revoked') return isNotNull(keys.revokedAtMs);

  const isUnrevoked = isNull(keys.revokedAtMs);
  if (status === 'Expired') return and(isUnrevoked, lte(keys.expiresAtMs, nowMs));
  const isUnexpired = or(isNull(keys.expiresAtMs), gt(keys.expiresAtMs, nowMs));
  return and(isUnrevoked, isUnexpired);
}

function isUnusedSince({ tables, lastUse }: Dialect, sinceMs: number): SQL | undefined {
  const wasUnused = or(isNull(lastUse.atMs), lt(lastUse.atMs, sinceMs));
  return and(lt(tables.keys.createdAtMs, sinceMs), wasUnused);
}

function livesLongerThan({ tables }: Dialect, spanMs: number): SQL | undefined {
  const { expiresAtMs, createdAtMs } = tables.keys;
  return or(isNull(expiresAtMs), gt(sql`${expiresAtMs} - ${createdAtMs}`, spanMs));
}

/** A key that has expired, that no younger key replaces, and whose entity is still there, so that one could. */
function isMissedSince({ builder, tables }: Dialect, sinceMs: number, nowMs: number) {
  const { keys } = tables;
  const successors = alias(keys, 'successors');
  const isSuccessor = and(
    eq(successors.tenantId, keys.tenantId),
    eq(successors.name, keys.name),
    eq(successors.entityId, keys.entityId),
    isNull(successors.revokedAtMs),
    or(isNull(successors.expiresAtMs), gt(successors.expiresAtMs, nowMs)),
    gt(successors.createdAtMs, keys.createdAtMs),
  );
  return and(
    isNull(keys.revokedAtMs),
    gt(keys.expiresAtMs, sinceMs),
    lte(keys.expiresAtMs, nowMs),
    isNotNull(keys.entityId),
    notExists(builder.select({ id: successors.id }).from(successors).where(isSuccessor)),
  );
}

/** A key whose entity or creator is inactive, or whose entity was removed. */
function isOfInactiveOwner({ builder, tables }: Dialect): SQL | undefined {
  const { keys, users, entities } = tables;
  const inactiveEntities = builder
    .select({ id: entities.id })
    .from(entities)
    .where(ne(entities.status, 'active'));
  const inactiveUsers = builder
    .select({ id: users.id })
    .from(users)
    .where(ne(users.status, 'active'));

  return or(
    isNull(keys.entityId),
    inArray(keys.entityId, inactiveEntities),
    inArray(keys.createdBy, inactiveUsers),
  );
}

function beginsPrefix({ tables }: Dialect, prefixStart: string): SQL | undefined {
  const { prefix } = tables.keys;
  // `{` sorts right after every character of a prefix.
  const prefixEnd = `${prefixStart}{`;
  return and(gte(prefix, prefixStart), lt(prefix, prefixEnd));
}

/** A part of the name, note or prefix of a key, or of the code or name of its entity. */
function isFoundBy(dialect: Dialect, search: string): SQL | undefined {
  const { builder, isLike } = dialect;
  const { keys, entities } = dialect.tables;
  // A backslash takes the meaning of `%` and `_`.
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const foundEntities = builder
    .select({ id: entities.id })
    .from(entities)
    .where(or(isLike(entities.code, pattern), isLike(entities.name, pattern)));

  return or(
    isLike(keys.name, pattern),
    isLike(keys.note, pattern),
    isLike(keys.prefix, pattern),
    inArray(keys.entityId, foundEntities),
  );
}

function afterCondition(
  { tables }: Dialect,
  { expiringByMs }: KeyFilter,
  { after }: KeyPageRequest,
): SQL | undefined {
  if (after === undefined) return undefined;
  const { createdAtMs, expiresAtMs, id } = tables.keys;
  return expiringByMs === undefined
    ? sql`(${createdAtMs}, ${id}) < (${after.createdAtMs}, ${after.id})`
    : sql`(${expiresAtMs}, ${id}) > (${after.expiresAtMs}, ${after.id})`;
}
