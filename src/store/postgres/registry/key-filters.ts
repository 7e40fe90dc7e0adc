import { and, eq, gt, gte, ilike, inArray, isNotNull, isNull, lt, lte, or, type SQL } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { KeyFilter, KeyStatus } from '../../../core/port/keys.ts';
import { entities, keys, keyUses } from './tables.ts';

/** The condition of a list of keys, whose times of last use are joined. */
export function filterCondition(db: NodePgDatabase, tenantId: string, filter: KeyFilter): SQL | undefined {
  const { nowMs, statuses = [], entityId, expiringByMs, unusedSinceMs, createdBeforeMs, search } = filter;
  return and(
    eq(keys.tenantId, tenantId),
    statuses.length > 0 && statuses.length < 3
      ? or(...statuses.map((status) => statusCondition(status, nowMs)))
      : undefined,
    entityId === undefined ? undefined : eq(keys.entityId, entityId),
    expiringByMs === undefined
      ? undefined
      : and(isNull(keys.revokedAtMs), gt(keys.expiresAtMs, nowMs), lte(keys.expiresAtMs, expiringByMs)),
    unusedSinceMs === undefined
      ? undefined
      : and(
          lt(keys.createdAtMs, unusedSinceMs),
          or(isNull(keyUses.lastUsedAtMs), lt(keyUses.lastUsedAtMs, unusedSinceMs)),
        ),
    createdBeforeMs === undefined ? undefined : lt(keys.createdAtMs, createdBeforeMs),
    search === undefined ? undefined : searchCondition(db, search),
  );
}

/** Keys in a state at an instant. */
export function statusCondition(status: KeyStatus, nowMs: number): SQL | undefined {
  if (status === 'Revoked') return isNotNull(keys.revokedAtMs);
  if (status === 'Expired') return and(isNull(keys.revokedAtMs), lte(keys.expiresAtMs, nowMs));
  return and(isNull(keys.revokedAtMs), or(isNull(keys.expiresAtMs), gt(keys.expiresAtMs, nowMs)));
}

/** A text that begins a prefix finds by that alone, by its index, where there is such a key. */
function searchCondition(db: NodePgDatabase, search: string): SQL | undefined {
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const found = db
    .select({ id: entities.id })
    .from(entities)
    .where(or(ilike(entities.code, pattern), ilike(entities.name, pattern)));
  return or(ilike(keys.name, pattern), ilike(keys.prefix, pattern), inArray(keys.entityId, found));
}

/** Keys whose prefix begins with a text; undefined where the text cannot begin one. */
export function prefixCondition(text: string): SQL | undefined {
  // `{` sorts right after every character of a prefix.
  return /^hk_[0-9A-Za-z]{1,5}$/.test(text) ? and(gte(keys.prefix, text), lt(keys.prefix, `${text}{`)) : undefined;
}
