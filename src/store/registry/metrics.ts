import { mostCounted, type StoreFacts } from '../../core/port/metrics.ts';

/** SQL for the number of rows, as `value`, up to the limit of what is counted; `from` is what follows `from`. */
export function countedSql(from: string): string {
  return `select count(*) as value from (select 1 from ${from} limit ${mostCounted}) as counted`;
}

/** The counts of keys that both engines make, of all keys and of those that are not revoked. */
export const keyCountsSql = {
  total: countedSql('keys'),
  live: countedSql('keys where revoked_at_ms is null'),
} as const;

/** Keys by their state; `live` ones are not revoked, and some of them have expired. */
export function keysByState(counts: { total: number; live: number; expired: number }): StoreFacts['keys'] {
  const { total, live, expired } = counts;
  return { active: live - expired, expired, revoked: total - live };
}
