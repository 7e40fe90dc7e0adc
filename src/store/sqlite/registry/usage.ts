import { and, eq, gt, inArray, lt, or, sql } from 'drizzle-orm/sql';
import type { KeyStore } from '../../../core/port/keys.ts';
import type { UsageStore } from '../../../core/port/usage.ts';
import { dayMs } from '../../../core/time/spans.ts';
import {
  placeholders,
  type Runner,
  resultOf,
  statement,
} from '../../shared/registry/statements.ts';
import { createUsageStore, removedAtOnce, usageFields } from '../../shared/registry/usage.ts';
import { sqliteBuilder } from '../../tables/kits/sqlite.ts';
import { keys, keyUsage } from '../../tables/sqlite/registry.ts';
import { dialect } from './registry.ts';

const { day, keyId, kind, code, count, lastAtMs, lastSensor, lastAddress } = keyUsage;
const parameters = placeholders(...usageFields);
const { days, keyIds, atMs, ip, first, last } = placeholders(
  'days',
  'keyIds',
  'atMs',
  'ip',
  'first',
  'last',
);

/** Each day and key is one search of the primary key; a range of days would read the usage of all keys. */
const selectUsage = statement(() => {
  const isOfDays = inArray(day, dialect.elementsOf(days));
  const isOfKeys = inArray(keyId, dialect.elementsOf(keyIds));
  return sqliteBuilder
    .select()
    .from(keyUsage)
    .where(and(isOfDays, isOfKeys))
    .orderBy(day, keyId, kind, code);
});

export function createUsage(runner: Runner): UsageStore {
  return createUsageStore(runner, (keyIds, { first, last }) => {
    const days = Array.from({ length: last - first + 1 }, (_, dayIndex) => first + dayIndex);
    return runner.query(selectUsage, {
      days: JSON.stringify(days),
      keyIds: JSON.stringify(keyIds),
    });
  });
}

const recordLastUse = statement(() => {
  const isLater = lt(sql`coalesce(${keys.lastUsedAtMs}, 0)`, atMs);
  const isBogus = gt(keys.lastUsedAtMs, sql`${atMs} + ${sql.raw(String(dayMs))}`);
  return sqliteBuilder
    .update(keys)
    .set({ lastUsedAtMs: sql`${atMs}`, lastUsedIp: sql`${ip}` })
    .where(and(eq(keys.id, parameters.keyId), or(isLater, isBogus)));
});

const addCount = statement(() =>
  sqliteBuilder
    .insert(keyUsage)
    .values(parameters)
    .onConflictDoUpdate({
      target: [day, keyId, kind, code],
      set: {
        count: sql`min(${count} + excluded.count, ${sql.raw(String(Number.MAX_SAFE_INTEGER))})`,
        lastSensor: sql`iif(excluded.last_at_ms < ${lastAtMs}, ${lastSensor}, excluded.last_sensor)`,
        lastAddress: sql`iif(excluded.last_at_ms < ${lastAtMs}, ${lastAddress}, excluded.last_address)`,
        lastAtMs: sql`coalesce(max(${lastAtMs}, excluded.last_at_ms), ${lastAtMs}, excluded.last_at_ms)`,
      },
    }),
);

/** Found and then removed one by one: as a condition of the removal, the same query would read the whole table. */
const selectOutdated = statement(() => {
  const tooLate = sqliteBuilder.select().from(keyUsage).where(gt(day, last));
  return sqliteBuilder
    .select()
    .from(keyUsage)
    .where(lt(day, first))
    .unionAll(tooLate)
    .limit(removedAtOnce);
});

const removeCount = statement(() =>
  sqliteBuilder
    .delete(keyUsage)
    .where(
      and(
        eq(day, parameters.day),
        eq(keyId, parameters.keyId),
        eq(kind, parameters.kind),
        eq(code, parameters.code),
      ),
    ),
);

/** Creates the merge of a daemon's counters: last uses and usage in one commit. */
export function createRecordUse({ change }: Runner): KeyStore['recordUse'] {
  return (uses, usage) =>
    change(function* ({ query }) {
      for (const [keyId, { atMs, ip }] of uses) {
        yield query(recordLastUse, { keyId, atMs, ip });
      }
      for (const usageCount of usage?.counts ?? []) {
        yield query(addCount, usageCount);
      }
      if (!usage?.kept) return;

      const { first, last } = usage.kept;
      const outdatedCounts = yield* resultOf(query(selectOutdated, { first, last }));
      for (const usageCount of outdatedCounts) {
        yield query(removeCount, usageCount);
      }
    });
}
