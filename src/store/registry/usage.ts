import { type UsageCount, type UsageStore, usageKinds } from '../../core/port/usage.ts';
import { latestDateMs } from '../../core/time/instants.ts';
import { dayMs } from '../../core/time/spans.ts';
import type { Statements } from './statements.ts';

/** The most characters of a code and of the name of a sensor; a daemon cuts longer names. */
const longestCode = 64;
const longestSensor = 256;

/** Counts of days that are no longer kept, removed with one merge at most: each takes microseconds. */
export const removedAtOnce = 5000;

/** SQL for what holds for every row of usage, in both engines. No count exceeds what a double represents exactly. */
export const usageChecks = [
  `day between ${-latestDateMs / dayMs} and ${latestDateMs / dayMs}`,
  `kind in (${usageKinds.map((kind) => `'${kind}'`).join(', ')})`,
  `length(code) <= ${longestCode}`,
  `count between 0 and ${Number.MAX_SAFE_INTEGER}`,
  `coalesce(last_at_ms, 0) between ${-latestDateMs} and ${latestDateMs}`,
  `length(coalesce(last_sensor, '')) <= ${longestSensor}`,
].join(' and ');

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
