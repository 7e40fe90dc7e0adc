import type { Heartbeat } from '../../../../core/port/readings.ts';
import type { Lane } from '../../connection/pool.ts';
import { keyArrays } from './binary.ts';
import type { WriteGroup } from './ingest-queue.ts';
import { allAccepted, resultsOf } from './kept-rows.ts';

/** As with readings; those of a sensor come seldom, so that all keys are returned. */
const insertSql = `insert into heartbeats (entity, series, at_us, status, battery, signal, firmware)
  select e, s, t, st, b, si, f
    from unnest($1::int4[], $2::int4[], $3::int8[], $4::text[], $5::float8[], $6::float8[], $7::text[])
    with ordinality as u (e, s, t, st, b, si, f, n) order by e, s, t, n
  on conflict do nothing returning entity || ' ' || series || ' ' || at_us as key`;

const storedSql = `select u.n::int4 as n, status, battery, signal, firmware
  from unnest($1::int4[], $2::int4[], $3::int8[]) with ordinality as u (e, s, t, n)
  join heartbeats h on h.entity = u.e and h.series = u.s and h.at_us = u.t`;

const content = ['status', 'battery', 'signal', 'firmware'] as const;

export function createHeartbeatWriter(lane: Lane): WriteGroup<readonly Heartbeat[]> {
  return async (batches) => {
    const sizes = batches.map(({ length }) => length);
    const all = batches.flat();
    if (all.length === 0) return allAccepted(sizes);
    const at = (row: number, column: number) => all[row]?.[column === 0 ? 'series' : 'atUs'] ?? 0;
    const columns = content.map((name) => all.map((heartbeat) => heartbeat[name]));
    const inserted = await lane.query<{ key: string }>(insertSql, [...keyArrays(all.length, at), ...columns]);
    if (inserted.length === all.length) return allAccepted(sizes);
    const keys = inserted.map(({ key }) => key);
    return resultsOf<Pick<Heartbeat, (typeof content)[number]>>(lane, { sizes, at }, keys, storedSql, (row, stored) =>
      content.every((name) => all[row]?.[name] === stored[name]),
    );
  };
}
