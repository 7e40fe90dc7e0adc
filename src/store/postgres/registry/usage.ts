import type { KeyStore } from '../../../core/port/keys.ts';
import type { UsageStore } from '../../../core/port/usage.ts';
import { dayMs } from '../../../core/time/spans.ts';
import {
  createUsageStore,
  removedAtOnce,
  selectRejected,
  selectUsedInactive,
  usageFields,
} from '../../shared/registry/usage.ts';
import type { Database } from '../connection/database.ts';
import { createExecutor, dialect } from './statements.ts';

export function createUsage(database: Database): UsageStore {
  return createUsageStore({ ...createExecutor(database), dialect }, (keyIds, days) =>
    database.query(usageOfKeys, [keyIds, days.first, days.last]),
  );
}

const countColumns = `day, key_id as "keyId", kind, code, count,
  last_at_ms as "lastAtMs", last_sensor as "lastSensor", last_address as "lastAddress"`;

/** Each day and key is one search of the primary key: `offset 0` keeps the planner from a join that would read all of it. */
const usageOfKeys = `select used.* from unnest($1::text[]) as ids (id)
  cross join generate_series($2::int4, $3::int4) as days (number)
  cross join lateral (
    select ${countColumns} from key_usage
    where day = days.number and key_id = ids.id offset 0) as used
  order by day, "keyId", kind, code`;

/**
 * Creates the merge of what a daemon has counted: last uses and usage in one statement, and so in one transaction. If the answer to
 * its commit is lost, the daemon sends the same counts again: usage may be too high then, and never too low.
 */
export function createRecordUse(database: Database): KeyStore['recordUse'] {
  return async (uses, { counts, kept } = { counts: [], kept: undefined }) => {
    const lastUses = [...uses.values()];
    const parameters = [
      [...uses.keys()],
      lastUses.map(({ atMs }) => atMs),
      lastUses.map(({ ip }) => ip),
      ...usageFields.map((field) => counts.map((count) => count[field])),
    ];
    await database.exclusively(async (session) => {
      if (uses.size + counts.length > 0) await session.query(recordUses, parameters);
      if (kept) await session.query(removeUsage, [kept.first, kept.last]);
    });
  };
}

/** Apart from the keys, so that a daemon needs no right to change them; in one order, so that two daemons never deadlock. */
const recordUses = `with merged as (
    insert into key_uses (key_id, last_used_at_ms, last_used_ip)
    select used.id, used.at, used.ip from unnest($1::text[], $2::bigint[], $3::text[]) as used (id, at, ip) order by 1
    on conflict (key_id) do update set last_used_at_ms = excluded.last_used_at_ms, last_used_ip = excluded.last_used_ip
    where key_uses.last_used_at_ms < excluded.last_used_at_ms
      or key_uses.last_used_at_ms > excluded.last_used_at_ms + ${dayMs})
  insert into key_usage as u (day, key_id, kind, code, count, last_at_ms, last_sensor, last_address)
  select day, id, kind, code, least(sum(n), ${Number.MAX_SAFE_INTEGER}), max(at),
    (array_agg(sensor order by at desc nulls last))[1], (array_agg(address order by at desc nulls last))[1]
  from unnest($4::int4[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::text[], $11::text[])
    as counted (day, id, kind, code, n, at, sensor, address) group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (day, key_id, kind, code) do update set count = least(u.count + excluded.count, ${Number.MAX_SAFE_INTEGER}),
    last_sensor = case when excluded.last_at_ms < u.last_at_ms then u.last_sensor else excluded.last_sensor end,
    last_address = case when excluded.last_at_ms < u.last_at_ms then u.last_address else excluded.last_address end,
    last_at_ms = greatest(u.last_at_ms, excluded.last_at_ms)`;

/** Skips rows that another daemon removes at the moment. The order keeps the planner from reading the whole table. */
const oldDays = (condition: string) =>
  `array(select ctid from key_usage where ${condition}
    order by day limit ${removedAtOnce} for update skip locked)`;

const removeUsage = `delete from key_usage
  where ctid = any(${oldDays('day < $1')} || ${oldDays('day > $2')})`;

/** The statements, whose plans a test checks. */
export const usageStatements = {
  ofKeys: usageOfKeys,
  rejectedOf: selectRejected(dialect),
  usedInactive: selectUsedInactive(dialect),
  recordUses,
  removeUsage,
} as const;
