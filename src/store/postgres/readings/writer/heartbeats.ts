import type { Heartbeat } from '../../../../core/port/readings.ts';
import type { Lane } from '../../connection/lane.ts';
import type { WriteGroup } from './ingest-queue.ts';
import { allAccepted, notInserted, resultsOf } from './kept-rows.ts';
import { keyArrays, rowKey } from './series-numbers.ts';

/** As with readings; those of a sensor come seldom, so that all keys are returned. */
const insertSql = `insert into heartbeats (entity, series, at_us, status, battery, signal, firmware)
  select e, s, t, st, b, si, f
    from unnest($1::int4[], $2::int4[], $3::int8[], $4::text[], $5::float8[], $6::float8[], $7::text[])
    with ordinality as u (e, s, t, st, b, si, f, n) order by e, s, t, n
  on conflict do nothing returning entity || ' ' || series || ' ' || at_us as key`;

const storedSql = `select u.n::int4 as n, status, battery, signal, firmware
  from unnest($1::int4[], $2::int4[], $3::int8[]) with ordinality as u (e, s, t, n)
  join heartbeats h on h.entity = u.e and h.series = u.s and h.at_us = u.t`;

type Content = Pick<Heartbeat, 'status' | 'battery' | 'signal' | 'firmware'>;

export function createHeartbeatWriter(lane: Lane): WriteGroup<readonly Heartbeat[]> {
  return async (batches) => {
    const sizes = batches.map(({ length }) => length);
    const all = batches.flat();
    if (all.length === 0) return allAccepted(sizes);
    const inserted = await lane.query<{ key: string }>(insertSql, [
      ...keysOf(all),
      all.map(({ status }) => status),
      all.map(({ battery }) => battery),
      all.map(({ signal }) => signal),
      all.map(({ firmware }) => firmware),
    ]);
    if (inserted.length === all.length) return allAccepted(sizes);
    const keys = all.map(({ series, atUs }) => rowKey(series, atUs));
    const missing = notInserted(
      keys,
      inserted.map(({ key }) => key),
    );
    const refused = missing.map((row) => all[row]).filter((one) => one !== undefined);
    const stored = await storedContents(lane, refused);
    return resultsOf(sizes, missing, (index) => (isSame(refused[index], stored[index]) ? 'duplicate' : 'conflict'));
  };
}

async function storedContents(lane: Lane, refused: readonly Heartbeat[]): Promise<(Content | undefined)[]> {
  const contents: (Content | undefined)[] = new Array(refused.length).fill(undefined);
  const rows = await lane.query<Content & { n: number }>(storedSql, keysOf(refused));
  for (const { n, ...content } of rows) contents[n - 1] = content;
  return contents;
}

function isSame(given: Heartbeat | undefined, stored: Content | undefined): boolean {
  // Removed meanwhile: it was there when it was sent again.
  if (!given || !stored) return true;
  const names = ['status', 'battery', 'signal', 'firmware'] as const;
  return names.every((name) => given[name] === stored[name]);
}

function keysOf(heartbeats: readonly Heartbeat[]): Buffer[] {
  const at = (row: number, column: number) => heartbeats[row]?.[column === 0 ? 'series' : 'atUs'] ?? 0;
  return keyArrays(heartbeats.length, at);
}
