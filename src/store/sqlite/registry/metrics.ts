import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type MetricsStore,
  mostExpiries,
  mostTenants,
  type StoreFacts,
} from '../../../core/port/metrics.ts';
import { countedFactsSql, createMetricsStore } from '../../registry/metrics.ts';
import type { Statements } from '../../registry/statements.ts';
import { databaseNames } from '../../sqlite-database/schema/migrated-schema.ts';
import { type StoreFiles, sizeOf } from '../connection/files.ts';

/** The statements, whose plans a test checks. */
export const metricsStatements = {
  counted: countedFactsSql(
    'tenants cross join keys on keys.tenant_id = tenants.id where revoked_at_ms is null and expires_at_ms <= $1',
  ),
  tenants: `select id from tenants limit ${mostTenants}`,
  next: `select prefix, coalesce(entities.code, '') as entity, expires_at_ms as atMs from keys
    left join entities on entities.id = keys.entity_id
    where keys.tenant_id = $1 and revoked_at_ms is null and expires_at_ms > $2
    order by expires_at_ms limit ${mostExpiries}`,
} as const;

export function createMetrics(statements: Statements, files: StoreFiles): MetricsStore {
  const { counted, tenants, next } = metricsStatements;
  return createMetricsStore(statements, counted, async (nowMs) => {
    const expiries: StoreFacts['nextExpiries'][number][] = [];
    for (const { id } of await statements.query<{ id: string }>(tenants))
      expiries.push(...(await statements.query<(typeof expiries)[number]>(next, [id, nowMs])));
    const nextExpiries = expiries.sort((a, b) => a.atMs - b.atMs).slice(0, mostExpiries);
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
