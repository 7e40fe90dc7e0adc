import { and, between, eq, isNull, type SQL, sql } from 'drizzle-orm/sql';
import type { MetricsStore, StoreFacts } from '../../../core/port/metrics.ts';
import {
  type Dialect,
  type Executor,
  lastBackupMark,
  placeholders,
  statement,
} from './statements.ts';

/** The values of the statements for monitoring. */
export const { nowMs } = placeholders('nowMs');

/**
 * The numbers of keys and the time of the last backup. One statement reads all of them, so that the counts are of one moment.
 * `expired` is a query for the number of expired keys.
 */
export function selectCountedFacts({ builder, tables }: Dialect, expired: SQL) {
  const { keys, marks } = tables;
  const countUnrevoked = builder
    .select({ count: sql`count(*)` })
    .from(keys)
    .where(isNull(keys.revokedAtMs));
  const isLastBackup = eq(marks.name, lastBackupMark);
  const lastBackupMs = builder
    .select({ value: marks.value })
    .from(marks)
    .where(and(isLastBackup, between(marks.value, 0, latestMs)));

  return statement(() =>
    builder
      .select({
        total: sql<number>`count(*)`,
        live: sql<number>`(${countUnrevoked})`,
        expired: sql<number>`(${expired})`,
        lastBackupMs: sql<number | null>`(${lastBackupMs})`,
      })
      .from(keys),
  );
}

const latestMs = Date.UTC(10_000, 0) - 1;

type CountedFacts = ReturnType<typeof selectCountedFacts>;
type OwnFacts = Pick<StoreFacts, 'databases' | 'freeBytes' | 'nextExpiries'>;

/** Creates the facts for monitoring. Each statement reads indexes only (`metrics.test.ts` of both engines). */
export function createMetricsStore(
  { first }: Executor,
  countedFacts: CountedFacts,
  readOwnFacts: (nowMs: number) => Promise<OwnFacts>,
): MetricsStore {
  return {
    async read(nowMs) {
      const [counted, ownFacts] = await Promise.all([
        first(countedFacts, { nowMs }),
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
