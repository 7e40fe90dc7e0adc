import { type MetricsStore, mostCounted, type StoreFacts } from '../../core/port/metrics.ts';
import type { Statements } from './statements.ts';
import { lastBackupMark } from './statements.ts';

/** SQL for the number of rows, as `value`, up to the limit of what is counted; `from` is what follows `from`. */
export function countedSql(from: string): string {
  return `select count(*) as value from (select 1 from ${from} limit ${mostCounted}) as counted`;
}

export const factsSql = {
  total: countedSql('keys'),
  live: countedSql('keys where revoked_at_ms is null'),
  lastBackup: `select value from marks where name = $1 and value between 0 and ${Date.UTC(10_000, 0) - 1}`,
} as const;

type OwnFacts = Pick<StoreFacts, 'databases' | 'freeBytes' | 'nextExpiries'>;

/** Creates the facts for monitoring. Each statement reads one index up to a limit (`metrics.test.ts` of both engines). */
export function createMetricsStore(
  { first }: Statements,
  expired: string,
  own: (nowMs: number) => Promise<OwnFacts>,
): MetricsStore {
  const number = async (text: string, values: readonly unknown[] = []) =>
    (await first<{ value: number }>(text, values))?.value;
  return {
    async read(nowMs) {
      const [total = 0, live = 0, ended = 0, lastBackupMs, facts] = await Promise.all([
        number(factsSql.total),
        number(factsSql.live),
        number(expired, [nowMs]),
        number(factsSql.lastBackup, [lastBackupMark]),
        own(nowMs),
      ]);
      return {
        keys: { active: live - ended, expired: ended, revoked: total - live },
        lastBackupMs,
        ...facts,
      };
    },
  };
}
