import { type MetricsStore, mostExpiries, mostTenants, type StoreFacts } from '../../../core/port/metrics.ts';
import { lastBackupMark } from '../../registry/audit.ts';
import { countedSql, keyCountsSql, keysByState } from '../../registry/metrics.ts';
import { isShownMs } from '../connection/column-types.ts';
import type { Database } from '../connection/database.ts';

/** Creates the facts for monitoring. Each statement reads one index up to a limit (test/store/postgres/registry/metrics.test.ts). */
export function createMetricsStore(database: Database): MetricsStore {
  const statements = metricsStatements;
  const number = async (name: string, sql: string, values: unknown[] = []) => {
    const [found] = await database.query<{ value: number }>(name, sql, values);
    return found?.value;
  };
  return {
    async read(nowMs) {
      const [total = 0, live = 0, expired = 0, lastBackupMs, bytes = 0, nextExpiries] = await Promise.all([
        number('metrics.total', statements.total),
        number('metrics.live', statements.live),
        number('metrics.expired', statements.expired, [nowMs]),
        number('metrics.backup', statements.lastBackup, [lastBackupMark]),
        number('metrics.size', sizeSql),
        database.query<StoreFacts['nextExpiries'][number]>('metrics.next', statements.next, [nowMs]),
      ]);
      return {
        keys: keysByState({ total, live, expired }),
        nextExpiries,
        lastBackupMs,
        // The log and the free space of the disk are the database server's own.
        databases: [{ name: 'store', bytes }],
        freeBytes: undefined,
      };
    },
  };
}

/** SQL for the size of the tables of the store with their indexes, as `value`. */
export const sizeSql = `select coalesce(sum(pg_total_relation_size(oid)), 0)::float8 as value from pg_class
  where relnamespace = current_schema()::regnamespace::oid and relkind in ('r', 'm')`;

/**
 * The statements, whose plans a test checks. The index of expiring keys begins by tenant; `offset 0` keeps the planner from a
 * join that would read all of it.
 */
export const metricsStatements = {
  ...keyCountsSql,
  expired: countedSql(`tenants cross join lateral (select 1 from keys where keys.tenant_id = tenants.id
    and revoked_at_ms is null and expires_at_ms <= $1 offset 0) as expired`),
  next: `select prefix, coalesce(entities.code, '') as entity, "atMs"
    from (select id from tenants limit ${mostTenants}) as tenant cross join lateral (
      select prefix, entity_id, expires_at_ms as "atMs" from keys
      where keys.tenant_id = tenant.id and revoked_at_ms is null and expires_at_ms > $1
      order by expires_at_ms limit ${mostExpiries}) as next
    left join entities on entities.id = next.entity_id order by "atMs" limit ${mostExpiries}`,
  lastBackup: `select value from marks where name = $1 and ${isShownMs('value')}`,
} as const;
