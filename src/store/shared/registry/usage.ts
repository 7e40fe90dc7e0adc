import { and, between, eq, gt, inArray, sql } from 'drizzle-orm/sql';
import { getTableColumns } from 'drizzle-orm/utils';
import { lapsedCodes } from '../../../core/keys/usage.ts';
import type { UsageStore } from '../../../core/port/usage.ts';
import { type Dialect, placeholders, type Runner, statement } from './statements.ts';

/** The columns of a count, by their names in the program. */
export const usageFields = [
  ...(['day', 'keyId', 'kind', 'code', 'count'] as const),
  ...(['lastAtMs', 'lastSensor', 'lastAddress'] as const),
] as const;

/** Counts of days that are no longer kept, removed with one merge at most. */
export const removedAtOnce = 5000;

export function createUsageStore(
  { query, dialect }: Pick<Runner, 'query' | 'dialect'>,
  usageOf: UsageStore['of'],
): UsageStore {
  const rejectedOf = selectRejected(dialect);
  const usedInactive = selectUsedInactive(dialect);
  return {
    of: usageOf,
    rejected: (tenantId, days) => query(rejectedOf, { tenantId, ...days }),
    usedInactive: async (tenantId, sinceMs, days) => {
      const rows = await query(usedInactive, { tenantId, sinceMs, ...days });
      return rows.map(({ id }) => id);
    },
  };
}

/** The counts of rejected readings of the keys of `tenantId`, of the days from `first` to `last`. */
export function selectRejected({ builder, tables }: Dialect) {
  const { keyUsage, keys } = tables;
  const { day, keyId, kind, code } = keyUsage;
  const { tenantId, first, last } = placeholders('tenantId', 'first', 'last');

  return statement(() =>
    builder
      .select({ ...getTableColumns(keyUsage), prefix: keys.prefix })
      .from(keyUsage)
      .innerJoin(keys, eq(keys.id, keyId))
      .where(
        and(
          // Written out, since the planner takes the partial index for a constant only.
          sql`${kind} = 'rejected'`,
          between(day, first, last),
          eq(keys.tenantId, tenantId),
        ),
      )
      .orderBy(day, keyId, code),
  );
}

/** The keys of `tenantId` of which a request was refused after `sinceMs` as of one that is revoked or expired. */
export function selectUsedInactive({ builder, tables }: Dialect) {
  const { keyUsage, keys } = tables;
  const { day, keyId, kind, code, lastAtMs } = keyUsage;
  const { tenantId, sinceMs, first, last } = placeholders('tenantId', 'sinceMs', 'first', 'last');

  return statement(() =>
    builder
      .selectDistinct({ id: keys.id })
      .from(keyUsage)
      .innerJoin(keys, eq(keys.id, keyId))
      .where(
        and(
          // Written out, since the planner takes the partial index for a constant only.
          sql`${kind} = 'refused'`,
          between(day, first, last),
          inArray(code, [...lapsedCodes]),
          gt(lastAtMs, sinceMs),
          eq(keys.tenantId, tenantId),
        ),
      ),
  );
}
