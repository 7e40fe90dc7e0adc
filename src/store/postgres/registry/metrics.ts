import {
  type MetricsStore,
  mostExpiries,
  mostTenants,
  type StoreFacts,
} from '../../../core/port/metrics.ts';
import { countedFactsSql, createMetricsStore } from '../../registry/metrics.ts';
import type { Database } from '../connection/database.ts';
import { statementsOf } from './statements.ts';

export function createMetrics(database: Database): MetricsStore {
  const { counted, next } = metricsStatements;
  return createMetricsStore(statementsOf(database), counted, async (nowMs) => {
    const [[size], nextExpiries] = await Promise.all([
      database.query<{ value: number }>(sizeSql),
      database.query<StoreFacts['nextExpiries'][number]>(next, [nowMs]),
    ]);
    // The log and the free space of the disk are the database server's own.
    return {
      nextExpiries,
      databases: [{ name: 'store', bytes: size?.value ?? 0 }],
      freeBytes: undefined,
    };
  });
}

/** SQL for the size of the tables of the store with their indexes, as `value`. */
export const sizeSql = `select coalesce(sum(pg_total_relation_size(oid)), 0)::float8 as value from pg_class
  where relnamespace = current_schema()::regnamespace::oid and relkind in ('r', 'm')`;

/**
 * The statements, whose plans a test checks. The index of expiring keys begins by tenant; `offset 0` keeps the planner from a
 * join that would read all of it.
 */
export const metricsStatements = {
  counted:
    countedFactsSql(`tenants cross join lateral (select 1 from keys where keys.tenant_id = tenants.id
    and revoked_at_ms is null and expires_at_ms <= $1 offset 0) as expired`),
  next: `select prefix, coalesce(entities.code, '') as entity, "atMs"
    from (select id from tenants limit ${mostTenants}) as tenant cross join lateral (
      select prefix, entity_id, expires_at_ms as "atMs" from keys
      where keys.tenant_id = tenant.id and revoked_at_ms is null and expires_at_ms > $1
      order by expires_at_ms limit ${mostExpiries}) as next
    left join entities on entities.id = next.entity_id order by "atMs" limit ${mostExpiries}`,
} as const;
