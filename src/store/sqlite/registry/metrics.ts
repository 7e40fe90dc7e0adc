import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { and, eq, gt, isNull, lte, sql } from 'drizzle-orm/sql';
import {
  type KeyExpiry,
  type MetricsStore,
  mostExpiries,
  mostTenants,
  type StoreFacts,
} from '../../../core/port/metrics.ts';
import { createMetricsStore, nowMs, selectCountedFacts } from '../../shared/registry/metrics.ts';
import { type Executor, placeholders, statement } from '../../shared/registry/statements.ts';
import { databaseNames } from '../../sqlite-file/schema/schema-versions.ts';
import { sqliteBuilder } from '../../tables/kits/sqlite.ts';
import { entities, keys, tenants } from '../../tables/sqlite/registry.ts';
import { type StoreFiles, sizeOf } from '../connection/files.ts';
import { dialect } from './registry.ts';

const { tenantId } = placeholders('tenantId');

const isNotRevoked = isNull(keys.revokedAtMs);

/** The index of expiring keys begins by tenant: a cross join walks the tenants first. */
const countExpired = sqliteBuilder
  .select({ count: sql`count(*)` })
  .from(tenants)
  .crossJoin(keys)
  .where(and(eq(keys.tenantId, tenants.id), isNotRevoked, lte(keys.expiresAtMs, nowMs)));

/** The statements, whose plans a test checks. */
export const metricsStatements = {
  counted: selectCountedFacts(dialect, sql`${countExpired}`),
  tenants: statement(() =>
    sqliteBuilder.select({ id: tenants.id }).from(tenants).limit(mostTenants),
  ),
  nextExpiries: statement(() =>
    sqliteBuilder
      .select({
        prefix: keys.prefix,
        entity: sql<string>`coalesce(${entities.code}, '')`,
        atMs: sql<number>`${keys.expiresAtMs}`,
      })
      .from(keys)
      .leftJoin(entities, eq(entities.id, keys.entityId))
      .where(and(eq(keys.tenantId, tenantId), isNotRevoked, gt(keys.expiresAtMs, nowMs)))
      .orderBy(keys.expiresAtMs)
      .limit(mostExpiries),
  ),
} as const;

export function createMetrics(executor: Executor, files: StoreFiles): MetricsStore {
  return createMetricsStore(executor, metricsStatements.counted, async (nowMs) => {
    const expiries: KeyExpiry[] = [];
    for (const { id } of await executor.query(metricsStatements.tenants)) {
      const tenantValues = { tenantId: id, nowMs };
      const tenantExpiries = await executor.query(metricsStatements.nextExpiries, tenantValues);
      expiries.push(...tenantExpiries);
    }

    const nextExpiries = expiries
      .sort((earlier, later) => earlier.atMs - later.atMs)
      .slice(0, mostExpiries);
    return { nextExpiries, ...sizesOf(files) };
  });
}

function sizesOf(files: StoreFiles): Pick<StoreFacts, 'databases' | 'freeBytes'> {
  const databases = databaseNames.map((name) => ({
    name,
    bytes: sizeOf(files[name]),
    logBytes: sizeOf(`${files[name]}-wal`),
  }));
  const { bavail, bsize } = statfsSync(dirname(files.registry));
  return { databases, freeBytes: bavail * bsize };
}
