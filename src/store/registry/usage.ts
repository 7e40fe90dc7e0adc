import type { UsageCount, UsageStore } from '../../core/port/usage.ts';
import type { Statements } from './statements.ts';

/** Counts of days that are no longer kept, removed with one merge at most: each takes microseconds. */
export const removedAtOnce = 5000;

export const countColumns = `day, key_id as "keyId", kind, code, count, last_at_ms as "lastAtMs", last_sensor as "lastSensor"`;

export const rejectedOf = `select ${countColumns}, prefix from key_usage join keys on keys.id = key_id
  where kind = 'rejected' and day between $2 and $3 and tenant_id = $1 order by day, key_id, code`;

export function createUsageStore({ query }: Statements, of: UsageStore['of']): UsageStore {
  return {
    of,
    rejected: (tenantId, { first, last }) =>
      query<UsageCount & { prefix: string }>(rejectedOf, [tenantId, first, last]),
  };
}
