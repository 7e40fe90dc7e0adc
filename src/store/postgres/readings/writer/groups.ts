import {
  type BatchResult,
  readingColumns as columns,
  type Heartbeat,
  type ReadingBatch,
} from '../../../../core/port/readings.ts';
import type { Lane } from '../../connection/pool.ts';
import { mayBeRepeated } from '../../errors/errors.ts';
import { keyArrays, toBinaryArray, toBinaryRows } from './binary.ts';
import type { WriteGroup } from './ingest-queue.ts';
import { rowKey } from './series-numbers.ts';

/** What the insert returns: how many rows it inserted and, if that is not all, which: `entity series at_us`, by commas. */
interface Inserted {
  n: number;
  keys: string | null;
}

/**
 * In order of the key, so that two statements, also of two daemons, wait for each other's rows in one direction only; of rows
 * with the same key the first comes first.
 */
const arrays = 'unnest($1::int4[], $2::int4[], $3::int8[], $4::float8[], $5::int2[])';

/**
 * All rows or none: it fails if one is there already. It takes half the time of `insertSql`, since `on conflict` seeks each
 * row before it inserts it.
 */
const plainSql = `insert into readings (entity, series, at_us, value, quality)
  select e, s, t, v, q from ${arrays} as u (e, s, t, v, q) order by e, s, t`;

/** The same for many rows at two thirds of the cost. It is planned each time, and never inside a statement of others. */
const copySql = 'copy readings (entity, series, at_us, value, quality) from stdin binary';
const leastForCopy = 1000;

/**
 * After a group that could not be inserted plainly, this number of groups is not tried plainly: repeated readings come in
 * numbers, when a gateway sends again what it has kept, and each failure leaves rows for the server to clean up.
 */
const carefulGroups = 256;

const insertSql = `with i as (insert into readings (entity, series, at_us, value, quality)
    select e, s, t, v, q from ${arrays} with ordinality as u (e, s, t, v, q, n) order by e, s, t, n
    on conflict do nothing returning entity, series, at_us)
  select count(*)::int4 as n, case when count(*) < $6 then (
    select string_agg(entity || ' ' || series || ' ' || at_us, ',') from i) end as keys from i`;

const storedSql = `select u.n::int4 as n, r.value from unnest($1::int4[], $2::int4[], $3::int8[]) with ordinality as u (e, s, t, n)
  join readings r on r.entity = u.e and r.series = u.s and r.at_us = u.t`;

/**
 * Creates the writer of readings on a connection: one statement for a group of batches, which is their transaction, too. Inside
 * a transaction of others it cannot be used: a repeated reading would end that.
 */
export function createReadingWriter(lane: Lane): WriteGroup<ReadingBatch> {
  let careful = 0;
  return async (batches) => {
    const sizes = batches.map(({ count }) => count);
    const rows = joined(batches);
    const count = rows.length / columns;
    if (count === 0) return allAccepted(sizes);
    const at = (row: number, column: number) => rows[row * columns + column] ?? 0;
    if (careful > 0) careful--;
    else {
      if (await isInserted(lane, count, at)) return allAccepted(sizes);
      careful = carefulGroups;
    }
    const [result] = await lane.query<Inserted>(insertSql, [...arraysOf(count, at), count]);
    if (!result) throw new Error('the insert returned nothing');
    if (result.n === count) return allAccepted(sizes);
    const keys = result.keys?.split(',') ?? [];
    return resultsOf<{ value: number }>(lane, { sizes, at }, keys, storedSql, (row, { value }) => value === at(row, 2));
  };
}

type NumberAt = (row: number, column: number) => number;

/** Inserts all rows plainly; false if that is not possible, and then none is inserted. */
async function isInserted(lane: Lane, count: number, at: NumberAt): Promise<boolean> {
  try {
    if (count < leastForCopy) await lane.query(plainSql, arraysOf(count, at));
    else await lane.copy(copySql, toBinaryRows(count, at));
    return true;
  } catch (thrown) {
    if (mayBeRepeated(thrown)) return false;
    throw thrown;
  }
}

function arraysOf(count: number, at: NumberAt): Buffer[] {
  return [
    ...keyArrays(count, at),
    toBinaryArray('float8', count, (row) => at(row, 2)),
    toBinaryArray('int2', count, (row) => at(row, 3)),
  ];
}

function joined(batches: readonly ReadingBatch[]): Float64Array {
  const [only] = batches;
  if (only && batches.length === 1) return only.rows.subarray(0, only.count * columns);
  const rows = new Float64Array(columns * batches.reduce((sum, { count }) => sum + count, 0));
  let place = 0;
  for (const { rows: own, count } of batches) {
    rows.set(own.subarray(0, count * columns), place);
    place += count * columns;
  }
  return rows;
}

/** As with readings; those of a sensor come seldom, so that all keys are returned. */
const insertHeartbeatsSql = `insert into heartbeats (entity, series, at_us, status, battery, signal, firmware)
  select e, s, t, st, b, si, f
    from unnest($1::int4[], $2::int4[], $3::int8[], $4::text[], $5::float8[], $6::float8[], $7::text[])
    with ordinality as u (e, s, t, st, b, si, f, n) order by e, s, t, n
  on conflict do nothing returning entity || ' ' || series || ' ' || at_us as key`;

const storedHeartbeatsSql = `select u.n::int4 as n, status, battery, signal, firmware
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
    const inserted = await lane.query<{ key: string }>(insertHeartbeatsSql, [...keyArrays(all.length, at), ...columns]);
    if (inserted.length === all.length) return allAccepted(sizes);
    const keys = inserted.map(({ key }) => key);
    return resultsOf<Pick<Heartbeat, (typeof content)[number]>>(
      lane,
      { sizes, at },
      keys,
      storedHeartbeatsSql,
      (row, stored) => content.every((name) => all[row]?.[name] === stored[name]),
    );
  };
}

/** Rows of several batches, of which a statement inserts those whose key is new. */
interface GivenRows {
  /** How many rows each batch has. */
  sizes: readonly number[];
  /** A number of a row: column 0 is the series, column 1 the instant. */
  at(row: number, column: number): number;
}

function allAccepted(sizes: readonly number[]): BatchResult[] {
  return sizes.map((accepted) => ({ accepted, duplicates: 0, conflicts: [] }));
}

/**
 * The results of batches, some of whose rows were not inserted: the same content again is a retry, another content does not
 * replace the first (contract, section 5). `inserted` are the keys that the statement returned: of several rows with a key it
 * inserted the first. `storedSql` returns what is stored for keys, each with its place `n` from 1 on.
 */
async function resultsOf<Stored extends object>(
  lane: Lane,
  { sizes, at }: GivenRows,
  inserted: readonly string[],
  storedSql: string,
  isSame: (row: number, stored: Stored) => boolean,
): Promise<BatchResult[]> {
  const left = new Set(inserted);
  const count = sizes.reduce((sum, size) => sum + size, 0);
  const missing: number[] = [];
  for (let row = 0; row < count; row++) if (!left.delete(rowKey(at(row, 0), at(row, 1)))) missing.push(row);
  const keys = keyArrays(missing.length, (n, column) => at(missing[n] ?? 0, column));
  // By itself, after the insert: rows that another daemon has inserted meanwhile are seen only by a later statement.
  const found = await lane.query<Stored & { n: number }>(storedSql, keys);
  const conflicts = new Set<number>();
  // What was removed meanwhile was there when it was sent again.
  for (const stored of found) {
    const row = missing[stored.n - 1];
    if (row !== undefined && !isSame(row, stored)) conflicts.add(row);
  }
  let [next, start] = [0, 0];
  return sizes.map((size) => {
    const result = { accepted: size, duplicates: 0, conflicts: [] as number[] };
    for (let row = missing[next]; row !== undefined && row < start + size; row = missing[++next]) {
      result.accepted--;
      if (conflicts.has(row)) result.conflicts.push(row - start);
      else result.duplicates++;
    }
    start += size;
    return result;
  });
}
