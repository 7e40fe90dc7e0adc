import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type MetricsStore, mostCounted, type StoreFacts } from '../../../core/port/metrics.ts';
import { databaseNames, type StoreFiles } from '../connection/files.ts';
import { lazily } from '../connection/lazily.ts';
import { lastBackupMark } from './audit.ts';
import type { Registry } from './registry.ts';

const mostExpiries = 10;
const mostTenants = 1000;

/** Creates the facts for monitoring. Each statement reads one index up to a limit (test/store/sqlite/metrics.test.ts). */
export function createMetricsStore(registry: Registry, files: StoreFiles): MetricsStore {
  const statements = lazily(() => prepare(registry));
  return {
    read: (nowMs) =>
      registry.read(() => {
        const { total, live, expired, next, tenants, lastBackup } = statements();
        const [totalCount, liveCount, expiredCount] = [total.get(), live.get(), expired.get(nowMs)].map(Number);
        const keys = {
          active: (liveCount ?? 0) - (expiredCount ?? 0),
          expired: expiredCount ?? 0,
          revoked: (totalCount ?? 0) - (liveCount ?? 0),
        };
        const nextExpiries = tenants
          .all()
          .flatMap((tenantId) => next.all(tenantId, nowMs))
          .sort((a, b) => a.atMs - b.atMs)
          .slice(0, mostExpiries);
        return { keys, nextExpiries, lastBackupMs: lastBackup.get(lastBackupMark), ...sizesOf(files) };
      }),
  };
}

function prepare({ connection }: Registry) {
  const count = (rest: string) =>
    connection.prepare<unknown[], number>(`select count(*) from (select 1 from ${rest} limit ${mostCounted})`).pluck();
  return {
    total: count('keys'),
    live: count('keys where revoked_at_ms is null'),
    expired: count(
      'tenants cross join keys on keys.tenant_id = tenants.id where revoked_at_ms is null and expires_at_ms <= ?',
    ),
    tenants: connection.prepare<[], string>(`select id from tenants limit ${mostTenants}`).pluck(),
    next: connection.prepare<[string, number], StoreFacts['nextExpiries'][number]>(
      `select prefix, coalesce(entities.code, '') as entity, expires_at_ms as atMs from keys
        left join entities on entities.id = keys.entity_id
        where keys.tenant_id = ? and revoked_at_ms is null and expires_at_ms > ?
        order by expires_at_ms limit ${mostExpiries}`,
    ),
    lastBackup: connection.prepare<[string], number>('select value from marks where name = ?').pluck(),
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
