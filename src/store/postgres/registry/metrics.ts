import { and, eq, isNull, lte, sql } from 'drizzle-orm/sql';
import { type MetricsStore, mostExpiries, mostTenants } from '../../../core/port/metrics.ts';
import { createMetricsStore, nowMs, selectCountedFacts } from '../../shared/registry/metrics.ts';
import { statement } from '../../shared/registry/statements.ts';
import { postgresBuilder } from '../../tables/kits/postgres.ts';
import { entities, keys, tenants } from '../../tables/postgres/registry.ts';
import type { Database } from '../connection/database.ts';
import { createExecutor, dialect } from './statements.ts';

export function createMetrics(database: Database): MetricsStore {
  const executor = createExecutor(database);
  return createMetricsStore(executor, metricsStatements.counted, async (nowMs) => {
    const [[sizeRow], nextExpiries] = await Promise.all([
      database.query<{ value: number }>(sizeSql),
      executor.query(metricsStatements.nextExpiries, { nowMs }),
    ]);
    // The log and the free space of the disk are the database server's own.
    return {
      nextExpiries,
      databases: [{ name: 'store', bytes: sizeRow?.value ?? 0 }],
      freeBytes: undefined,
    };
  });
}

/** SQL for the size of the tables of the store with their indexes, as `value`. */
export const sizeSql = `select coalesce(sum(pg_total_relation_size(oid)), 0)::float8 as value from pg_class
  where relnamespace = current_schema()::regnamespace::oid and relkind in ('r', 'm')`;

/** The index of expiring keys begins by tenant; `offset 0` keeps the planner from a join that would read all of it. */
const expired = sql`
  select count(*) from ${tenants} cross join lateral (
    select 1 from ${keys}
    where ${and(
      eq(keys.tenantId, tenants.id),
      isNull(keys.revokedAtMs),
      lte(keys.expiresAtMs, nowMs),
    )}
    offset 0) as expired`;

const nextOfEachTenant = sql`
  (select ${tenants.id} from ${tenants} limit ${sql.raw(String(mostTenants))}) as tenant
  cross join lateral (
    select ${keys.prefix}, ${keys.entityId}, ${keys.expiresAtMs} from ${keys}
    where ${keys.tenantId} = tenant.id and ${keys.revokedAtMs} is null and ${keys.expiresAtMs} > ${nowMs}
    order by ${keys.expiresAtMs} limit ${sql.raw(String(mostExpiries))}) as next`;

/** The statements, whose plans a test checks. */
export const metricsStatements = {
  counted: selectCountedFacts(dialect, expired),
  nextExpiries: statement(() =>
    postgresBuilder
      .select({
        prefix: sql<string>`next.prefix`,
        entity: sql<string>`coalesce(${entities.code}, '')`,
        atMs: sql<number>`next.expires_at_ms`,
      })
      .from(nextOfEachTenant)
      .leftJoin(entities, sql`${entities.id} = next.entity_id`)
      .orderBy(sql`next.expires_at_ms`)
      .limit(mostExpiries),
  ),
} as const;
