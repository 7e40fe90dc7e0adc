import { lazily } from '../../../core/lazily.ts';
import type { KeyStore } from '../../../core/port/keys.ts';
import type { UsageCount, UsageStore } from '../../../core/port/usage.ts';
import { removedAtOnce } from '../../registry/usage.ts';
import type { Registry } from './registry.ts';

export function createUsageStore(registry: Registry): UsageStore {
  const { connection } = registry;
  // Each day and key is one search of the primary key; a range of days would read what all keys did.
  const ofKeys = lazily(() =>
    connection.prepare<[string, string], UsageCount>(
      `select ${countColumns} from key_usage where day in (select value from json_each(?))
        and key_id in (select value from json_each(?)) order by day, key_id, kind, code`,
    ),
  );
  const rejected = lazily(() =>
    connection.prepare<[number, number, string], UsageCount & { prefix: string }>(
      `select ${countColumns}, prefix from key_usage join keys on keys.id = key_id
        where kind = 'rejected' and day between ? and ? and tenant_id = ? order by day, key_id, code`,
    ),
  );
  return {
    of: (keyIds, { first, last }) => {
      const days = Array.from({ length: last - first + 1 }, (_, n) => first + n);
      return registry.read(() => ofKeys().all(JSON.stringify(days), JSON.stringify(keyIds)));
    },
    rejected: (tenantId, { first, last }) => registry.read(() => rejected().all(first, last, tenantId)),
  };
}

const countColumns = `day, key_id as keyId, kind, code, count, last_at_ms as lastAtMs, last_sensor as lastSensor`;

/** Creates the merge of what a daemon has counted: last uses and usage in one commit. */
export function createRecordUse(registry: Registry): KeyStore['recordUse'] {
  const { connection } = registry;
  const use = lazily(() =>
    connection.prepare<[number, string, string, number]>(
      'update keys set last_used_at_ms = ?, last_used_ip = ? where id = ? and coalesce(last_used_at_ms, 0) < ?',
    ),
  );
  const add = lazily(() =>
    connection.prepare<UsageCount>(
      `insert into key_usage (day, key_id, kind, code, count, last_at_ms, last_sensor)
        values (@day, @keyId, @kind, @code, @count, @lastAtMs, @lastSensor)
        on conflict do update set count = min(count + excluded.count, ${Number.MAX_SAFE_INTEGER}),
          last_sensor = iif(excluded.last_at_ms < last_at_ms, last_sensor, excluded.last_sensor),
          last_at_ms = max(last_at_ms, excluded.last_at_ms)`,
    ),
  );
  // Found and then removed one by one: as a condition of the removal, the same query would read the whole table.
  const old = lazily(() =>
    connection.prepare<[number, number], UsageCount>(
      `select ${countColumns} from key_usage where day < ? union all select ${countColumns} from key_usage where day > ?
        limit ${removedAtOnce}`,
    ),
  );
  const remove = lazily(() =>
    connection.prepare<UsageCount>(
      'delete from key_usage where day = @day and key_id = @keyId and kind = @kind and code = @code',
    ),
  );
  return (uses, usage) =>
    registry.change(() => {
      for (const [id, { atMs, ip }] of uses) use().run(atMs, ip, id, atMs);
      for (const count of usage?.counts ?? []) add().run(count);
      if (usage?.kept) for (const count of old().all(usage.kept.first, usage.kept.last)) remove().run(count);
    });
}
