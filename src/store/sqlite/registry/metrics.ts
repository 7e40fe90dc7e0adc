import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { lazily } from '../../../core/lazily.ts';
import { type MetricsStore, mostExpiries, mostTenants, type StoreFacts } from '../../../core/port/metrics.ts';
import { lastBackupMark } from '../../registry/audit.ts';
import { countedSql, keyCountsSql, keysByState } from '../../registry/metrics.ts';
import { databaseNames } from '../../sqlite-database/schema/migrated-schema.ts';
import type { StoreFiles } from '../connection/files.ts';
import type { Registry } from './registry.ts';

/** Creates the facts for monitoring. Each statement reads one index up to a limit (test/store/sqlite/registry/metrics.test.ts). */
export function createMetricsStore(registry: Registry, files: StoreFiles): MetricsStore {
  const statements = lazily(() => prepare(registry));
  return {
    read: (nowMs) =>
      registry.read(() => {
        const { total, live, expired, next, tenants, lastBackup } = statements();
        const keys = keysByState({
          total: total.get() ?? 0,
          live: live.get() ?? 0,
          expired: expired.get(nowMs) ?? 0,
        });
        const nextExpiries = tenants
          .all()
          .flatMap((tenantId) => next.all(tenantId, nowMs))
          .sort((a, b) => a.atMs - b.atMs)
          .slice(0, mostExpiries);
        return { keys, nextExpiries, lastBackupMs: lastBackup.get(lastBackupMark), ...sizesOf(files) };
      }),
  };
}

/** The statements, whose plans a test checks. */
export const metricsStatements = {
  ...keyCountsSql,
  expired: countedSql(
    'tenants cross join keys on keys.tenant_id = tenants.id where revoked_at_ms is null and expires_at_ms <= ?',
  ),
  tenants: `select id from tenants limit ${mostTenants}`,
  next: `select prefix, coalesce(entities.code, '') as entity, expires_at_ms as atMs from keys
    left join entities on entities.id = keys.entity_id
    where keys.tenant_id = ? and revoked_at_ms is null and expires_at_ms > ?
    order by expires_at_ms limit ${mostExpiries}`,
  lastBackup: 'select value from marks where name = ?',
} as const;

function prepare({ connection }: Registry) {
  const { total, live, expired, tenants, next, lastBackup } = metricsStatements;
  return {
    total: connection.prepare<[], number>(total).pluck(),
    live: connection.prepare<[], number>(live).pluck(),
    expired: connection.prepare<[number], number>(expired).pluck(),
    tenants: connection.prepare<[], string>(tenants).pluck(),
    next: connection.prepare<[string, number], StoreFacts['nextExpiries'][number]>(next),
    lastBackup: connection.prepare<[string], number>(lastBackup).pluck(),
  };
}

function sizesOf(files: StoreFiles): Pick<StoreFacts, 'databases' | 'freeBytes'> {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const databases = databaseNames.map((name) => ({
    name,
    bytes: sizeOf(files[name]),
    logBytes: sizeOf(`${files[name]}-wal`),
  }));
  const { bavail, bsize } = statfsSync(dirname(files.registry));
  return { databases, freeBytes: bavail * bsize };
}
