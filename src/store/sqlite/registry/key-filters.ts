import { and, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { KeyFilter } from '../../../core/port/keys.ts';
import { containing, expiringCondition, listCondition, prefixCondition } from '../../registry/keys.ts';
import type { Registry } from './registry.ts';
import { entities, keys } from './tables.ts';

/**
 * The condition of a list of keys, written so that SQLite picks the index that reads the fewest rows; a plus before a
 * column keeps SQLite from using an index for it. Only a search by name, note or entity reads all keys of the tenant, about 1 µs
 * a key; a trigram index would read as much for a part that many names share, and would slow down every new key.
 */
export function filterCondition(registry: Registry, tenantId: string, filter: KeyFilter): SQL | undefined {
  const { nowMs, expiringByMs, search } = filter;
  const byPrefix = search === undefined ? undefined : usedPrefix(registry, tenantId, search);
  return listCondition(keys, keys, filter, {
    ofTenant: byPrefix ?? eq(keys.tenantId, tenantId),
    isExpiring: expiringByMs === undefined ? undefined : expiringSoon(registry, tenantId, nowMs, expiringByMs),
    isFound: search === undefined || byPrefix ? undefined : searchCondition(registry, search),
  });
}

/** Up to this number expiring keys are read by their index and sorted; if there are more, a walk from the newest is faster. */
const fewExpiring = 5000;

function expiringSoon({ connection }: Registry, tenantId: string, nowMs: number, byMs: number): SQL | undefined {
  const expiring = connection
    .prepare<[string, number, number], number>(
      `select count(*) from (select 1 from keys where tenant_id = ? and revoked_at_ms is null
        and expires_at_ms > ? and expires_at_ms <= ? limit ${fewExpiring + 1})`,
    )
    .pluck()
    .get(tenantId, nowMs, byMs);
  return Number(expiring) <= fewExpiring
    ? expiringCondition(keys, nowMs, byMs)
    : and(isNull(keys.revokedAtMs), sql`+${keys.expiresAtMs} > ${nowMs} and +${keys.expiresAtMs} <= ${byMs}`);
}

/** Keys of the tenant whose prefix begins with a text, by the index on prefixes; undefined if there are none. */
function usedPrefix({ db }: Registry, tenantId: string, text: string): SQL | undefined {
  const isFound = prefixCondition(keys, text);
  if (!isFound) return undefined;
  const condition = and(sql`+${keys.tenantId} = ${tenantId}`, isFound);
  return db.select({ id: keys.id }).from(keys).where(condition).limit(1).get() && condition;
}

function searchCondition({ db }: Registry, search: string): SQL | undefined {
  const pattern = containing(search);
  const like = (column: SQLiteColumn) => sql`${column} like ${pattern} escape '\\'`;
  const found = db
    .select({ id: entities.id })
    .from(entities)
    .where(or(like(entities.code), like(entities.name)));
  return or(like(keys.name), like(keys.note), like(keys.prefix), inArray(keys.entityId, found));
}
