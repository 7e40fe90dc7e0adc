import type { MetricsStore, StoreFacts } from '../../core/port/metrics.ts';
import type { Statements } from './statements.ts';
import { lastBackupMark } from './statements.ts';

interface CountedFacts {
  total: number;
  live: number;
  expired: number;
  lastBackupMs: number | null;
}

/**
 * SQL for the numbers of keys and the time of the last backup, in one statement: the counts are of one moment, so that no
 * number of revoked keys falls between two reads. `expiredFrom` is what follows `from` to find expired keys.
 */
export function countedFactsSql(expiredFrom: string): string {
  return `select
    (select count(*) from keys) as total,
    (select count(*) from keys where revoked_at_ms is null) as live,
    (select count(*) from ${expiredFrom}) as expired,
    (select value from marks where name = $2 and value between 0 and ${latestMs}) as "lastBackupMs"`;
}

const latestMs = Date.UTC(10_000, 0) - 1;

type OwnFacts = Pick<StoreFacts, 'databases' | 'freeBytes' | 'nextExpiries'>;

/** Creates the facts for monitoring. Each statement reads indexes only (`metrics.test.ts` of both engines). */
export function createMetricsStore(
  { first }: Statements,
  countedFacts: string,
  readOwnFacts: (nowMs: number) => Promise<OwnFacts>,
): MetricsStore {
  return {
    async read(nowMs) {
      const [counted, ownFacts] = await Promise.all([
        first<CountedFacts>(countedFacts, [nowMs, lastBackupMark]),
        readOwnFacts(nowMs),
      ]);
      const { total = 0, live = 0, expired = 0, lastBackupMs } = counted ?? {};

      return {
        keys: { active: live - expired, expired, revoked: total - live },
        lastBackupMs: lastBackupMs ?? undefined,
        ...ownFacts,
      };
    },
  };
}
