import type { LimitState, LimitStore } from '../../../core/port/limits.ts';
import type { Database } from '../connection/database.ts';
import { nowSql } from './daemons.ts';

/** Windows are removed this long after their end; no limit has a longer window. */
const keptMs = 2 * 3_600_000;
/** The number of calls from one removal of ended windows to the next. */
const callsPerCleaning = 300;

/** The counts of limits of all daemons, in windows by the database's clock. */
export function createLimitStore(database: Database): LimitStore {
  let shareCalls = 0;
  return {
    share: (name, { requests, windowSeconds }, counted) =>
      database.exclusively(async (session) => {
        if (shareCalls++ % callsPerCleaning === 0) {
          await session.query(`delete from limit_counts where ends_at_ms < ${nowSql} - ${keptMs}`);
        }
        const counterIds = counted.map(({ client }) => `${name} ${client}`);
        const callCounts = counted.map(({ calls }) => calls);
        const stateRows = await session.query<LimitState>(shareSql, [
          counterIds,
          callCounts,
          requests,
          windowSeconds * 1000,
        ]);
        return stateRows.map(({ client, ...state }) => ({
          ...state,
          client: client.slice(name.length + 1),
        }));
      }),
  };
}

/**
 * In the order of clients, so that two daemons never deadlock. As in a daemon by itself, calls beyond the limit are taken from
 * the windows after it. No window ends later than one that begins now: else it is from before the clock was set back.
 */
const shareSql = `with given as (
    select id, calls, ${nowSql} as at from unnest($1::text[], $2::bigint[]) as given (id, calls) order by id
  )
  insert into limit_counts as l (id, ends_at_ms, count) select id, at + $4::bigint, calls from given
  on conflict (id) do update set
    count = excluded.count + case when l.ends_at_ms > ${nowSql} then l.count
      else greatest(0, l.count - (1 + (${nowSql} - l.ends_at_ms) / $4::bigint) * $3::bigint) end,
    ends_at_ms = case when l.ends_at_ms > ${nowSql} then least(l.ends_at_ms, excluded.ends_at_ms)
      when l.count > (1 + (${nowSql} - l.ends_at_ms) / $4::bigint) * $3::bigint
        then l.ends_at_ms + (1 + (${nowSql} - l.ends_at_ms) / $4::bigint) * $4::bigint
      else excluded.ends_at_ms end
  returning id as client, count as used, ends_at_ms - ${nowSql} as "endsInMs"`;
