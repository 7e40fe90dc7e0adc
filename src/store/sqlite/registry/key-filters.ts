import { and, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { KeyFilter, KeyStatus } from '../../../core/port/keys.ts';
import type { Registry } from './registry.ts';
import { entities, keys } from './tables.ts';

/**
 * The condition of a list of keys, written so that SQLite picks the index that reads the fewest rows; a plus before a
 * column keeps SQLite from using an index for it. Only a search by name or entity reads all keys of the tenant, about 1 µs
 * a key; a trigram index would read as much for a part that many names share, and would slow down every new key.
 */
export function filterCondition(registry: Registry, tenantId: string, filter: KeyFilter): SQL | undefined {
  const { nowMs, statuses = [], entityId, expiringByMs, unusedSinceMs, createdBeforeMs, search } = filter;
  const byPrefix = search === undefined ? undefined : prefixCondition(registry, tenantId, search);
  return and(
    byPrefix ?? eq(keys.tenantId, tenantId),
    statuses.length > 0 && statuses.length < 3
      ? or(...statuses.map((status) => statusCondition(status, nowMs)))
      : undefined,
    entityId === undefined ? undefined : eq(keys.entityId, entityId),
    expiringByMs === undefined ? undefined : expiringCondition(registry, tenantId, nowMs, expiringByMs),
    unusedSinceMs === undefined
      ? undefined
      : and(lt(keys.createdAtMs, unusedSinceMs), or(isNull(keys.lastUsedAtMs), lt(keys.lastUsedAtMs, unusedSinceMs))),
    createdBeforeMs === undefined ? undefined : lt(keys.createdAtMs, createdBeforeMs),
    search === undefined || byPrefix ? undefined : searchCondition(registry, search),
  );
}

/** Keys in a state at an instant. */
export function statusCondition(status: KeyStatus, nowMs: number): SQL | undefined {
  if (status === 'Revoked') return isNotNull(keys.revokedAtMs);
  if (status === 'Expired') return and(isNull(keys.revokedAtMs), lte(keys.expiresAtMs, nowMs));
  return and(isNull(keys.revokedAtMs), or(isNull(keys.expiresAtMs), gt(keys.expiresAtMs, nowMs)));
}

/** Up to this number expiring keys are read by their index and sorted; where there are more, a walk from the newest is faster. */
const fewExpiring = 5000;

function expiringCondition({ connection }: Registry, tenantId: string, nowMs: number, byMs: number): SQL | undefined {
  const expiring = connection
    .prepare<[string, number, number], number>(
      `select count(*) from (select 1 from keys where tenant_id = ? and revoked_at_ms is null
        and expires_at_ms > ? and expires_at_ms <= ? limit ${fewExpiring + 1})`,
    )
    .pluck()
    .get(tenantId, nowMs, byMs);
  return Number(expiring) <= fewExpiring
    ? and(isNull(keys.revokedAtMs), gt(keys.expiresAtMs, nowMs), lte(keys.expiresAtMs, byMs))
    : and(isNull(keys.revokedAtMs), sql`+${keys.expiresAtMs} > ${nowMs} and +${keys.expiresAtMs} <= ${byMs}`);
}

/** Keys of the tenant whose prefix begins with a text, by the index on prefixes; undefined where there are none. */
function prefixCondition({ db }: Registry, tenantId: string, text: string): SQL | undefined {
  if (!/^hk_[0-9A-Za-z]{1,5}$/.test(text)) return undefined;
  // `{` sorts right after every character of a prefix.
  const condition = and(sql`+${keys.tenantId} = ${tenantId}`, gte(keys.prefix, text), lt(keys.prefix, `${text}{`));
  return db.select({ id: keys.id }).from(keys).where(condition).limit(1).get() && condition;
}

function searchCondition({ db }: Registry, search: string): SQL | undefined {
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const like = (column: SQLiteColumn) => sql`${column} like ${pattern} escape '\\'`;
  const found = db
    .select({ id: entities.id })
    .from(entities)
    .where(or(like(entities.code), like(entities.name)));
  return or(like(keys.name), like(keys.prefix), inArray(keys.entityId, found));
}
