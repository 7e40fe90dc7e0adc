import { eq, ilike, inArray, or, type SQL } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { KeyFilter } from '../../../core/port/keys.ts';
import { containing, expiringCondition, listCondition } from '../../registry/keys.ts';
import { entities, keys, keyUses } from './tables.ts';

/** The condition of a list of keys, whose times of last use are joined. */
export function filterCondition(db: NodePgDatabase, tenantId: string, filter: KeyFilter): SQL | undefined {
  const { nowMs, expiringByMs, search } = filter;
  return listCondition(keys, keyUses, filter, {
    ofTenant: eq(keys.tenantId, tenantId),
    isExpiring: expiringByMs === undefined ? undefined : expiringCondition(keys, nowMs, expiringByMs),
    isFound: search === undefined ? undefined : searchCondition(db, search),
  });
}

function searchCondition(db: NodePgDatabase, search: string): SQL | undefined {
  const pattern = containing(search);
  const found = db
    .select({ id: entities.id })
    .from(entities)
    .where(or(ilike(entities.code, pattern), ilike(entities.name, pattern)));
  const columns = [keys.name, keys.note, keys.prefix].map((column) => ilike(column, pattern));
  return or(...columns, inArray(keys.entityId, found));
}
