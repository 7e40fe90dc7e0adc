import type { KeyStore } from '../../../core/port/keys.ts';
import type { UsageCount, UsageStore } from '../../../core/port/usage.ts';
import { type Runner, resultOf } from '../../registry/statements.ts';
import { countColumns, createUsageStore, removedAtOnce } from '../../registry/usage.ts';

/** Each day and key is one search of the primary key; a range of days would read what all keys did. */
const ofKeys = `select ${countColumns} from key_usage where day in (select value from json_each($1))
  and key_id in (select value from json_each($2)) order by day, key_id, kind, code`;

export function createUsage(runner: Runner): UsageStore {
  return createUsageStore(runner, (keyIds, { first, last }) => {
    const days = Array.from({ length: last - first + 1 }, (_, n) => first + n);
    return runner.query<UsageCount>(ofKeys, [JSON.stringify(days), JSON.stringify(keyIds)]);
  });
}

const use =
  'update keys set last_used_at_ms = $1, last_used_ip = $2 where id = $3 and coalesce(last_used_at_ms, 0) < $1';
const add = `insert into key_usage (day, key_id, kind, code, count, last_at_ms, last_sensor) values ($1, $2, $3, $4, $5, $6, $7)
  on conflict do update set count = min(count + excluded.count, ${Number.MAX_SAFE_INTEGER}),
    last_sensor = iif(excluded.last_at_ms < last_at_ms, last_sensor, excluded.last_sensor),
    last_at_ms = max(last_at_ms, excluded.last_at_ms)`;
/** Found and then removed one by one: as a condition of the removal, the same query would read the whole table. */
const old = `select ${countColumns} from key_usage where day < $1
  union all select ${countColumns} from key_usage where day > $2 limit ${removedAtOnce}`;
const remove = 'delete from key_usage where day = $1 and key_id = $2 and kind = $3 and code = $4';

/** Creates the merge of what a daemon has counted: last uses and usage in one commit. */
export function createRecordUse({ change }: Runner): KeyStore['recordUse'] {
  return (uses, usage) =>
    change(function* ({ query }) {
      for (const [id, { atMs, ip }] of uses) yield query(use, [atMs, ip, id]);
      for (const { day, keyId, kind, code, count, lastAtMs, lastSensor } of usage?.counts ?? [])
        yield query(add, [day, keyId, kind, code, count, lastAtMs, lastSensor]);
      if (!usage?.kept) return;
      for (const { day, keyId, kind, code } of yield* resultOf(
        query<UsageCount>(old, [usage.kept.first, usage.kept.last]),
      ))
        yield query(remove, [day, keyId, kind, code]);
    });
}
