import {
  type BatchResult,
  readingColumns as columns,
  type Heartbeat,
  type ReadingBatch,
} from '../../../../core/port/readings.ts';
import type { Lane } from '../../connection/pool.ts';
import { mayBeRepeated } from '../../errors/errors.ts';
import { Announcer } from './announcer.ts';
import { keyArrays, toBinaryArray, toBinaryRows } from './binary.ts';
import type { WriteGroup } from './ingest-queue.ts';
import { rowKey } from './series-numbers.ts';

/**
 * The statements for rows of a table whose key is entity, series and instant; `columns` are the others with their types. Rows are
 * inserted in order of the key, so that two statements, also of two daemons, wait for each other's rows in one direction only; of
 * rows with the same key the first comes first.
 */
function statementsFor(table: string, columns: Readonly<Record<string, string>>) {
  const [key, others] = ['entity, series, at_us', Object.keys(columns).join(', ')];
  const types = ['int4', 'int4', 'int8', ...Object.values(columns)];
  const arrays = types.map((type, n) => `$${n + 1}::${type}[]`);
  const insert = `insert into ${table} (${key}, ${others}) select ${key}, ${others} from unnest(${arrays.join(', ')})`;
  return {
    /** All rows or none: it fails if one is there already. It takes half the time, since `on conflict` seeks each row first. */
    plain: `${insert} as u (${key}, ${others}) order by ${key}`,
    /** Rows with a new key: how many were inserted and, if that is not all, which: `entity series at_us`, by commas. */
    new: `with i as (${insert} with ordinality as u (${key}, ${others}, n) order by ${key}, n
        on conflict do nothing returning ${key})
      select count(*)::int4 as n, case when count(*) < $${types.length + 1} then (
        select string_agg(entity || ' ' || series || ' ' || at_us, ',') from i) end as keys from i`,
    /** What is stored for keys, each with its place from 1 on. */
    stored: `select u.n::int4 as n, ${others} from unnest(${arrays.slice(0, 3).join(', ')}) with ordinality as u (${key}, n)
      join ${table} using (${key})`,
  };
}

const ofReadings = statementsFor('readings', { value: 'float8', quality: 'int2' });
/** Plainly, many rows cost two thirds of that by COPY. It is planned each time, and never inside a statement of others. */
const copySql = 'copy readings (entity, series, at_us, value, quality) from stdin binary';
const leastForCopy = 1000;

/**
 * After a group that could not be inserted plainly, this number of groups is not tried plainly: repeated readings come in
 * numbers, when a gateway sends again what it has kept, and each failure leaves rows for the server to clean up.
 */
const carefulGroups = 256;

/**
 * Creates the writer of readings on a connection: one statement for a group of batches, which is their transaction, too. Inside
 * a transaction of others it cannot be used: a repeated reading would end that.
 */
export function createReadingWriter(lane: Lane, schema: string): WriteGroup<ReadingBatch> {
  const announcer = new Announcer(lane, schema);
  const write = createPlainFirst(lane);
  return async (batches) => {
    const isFollowed = await announcer.isFollowed();
    const { rows, written } = await write(batches);
    if (isFollowed) await announcer.announce(insertedRows(rows, written));
    return written.results;
  };
}

/** The rows that were inserted, with all their columns. */
function insertedRows({ count, at }: GivenRows, { missing }: Written) {
  const missingRows = new Set(missing);
  return Array.from({ length: count }, (_, row) => row)
    .filter((row) => !missingRows.has(row))
    .map((row) => [at(row, 0), at(row, 1), at(row, 2), at(row, 3)] as const);
}

function createPlainFirst(lane: Lane) {
  let careful = 0;
  return async (
    batches: readonly ReadingBatch[],
  ): Promise<{ rows: GivenRows; written: Written }> => {
    const values = joined(batches);
    const at = (row: number, column: number) => values[row * columns + column] ?? 0;
    const rows: GivenRows = {
      sizes: batches.map(({ count }) => count),
      count: values.length / columns,
      at,
    };
    if (careful > 0) careful--;
    else if (await isInserted(lane, rows)) return { rows, written: allAccepted(rows) };
    else careful = carefulGroups;
    const written = await insertNew<{ value: number }>(
      lane,
      ofReadings,
      { rows, others: contentOf(rows) },
      (row, { value }) => {
        return value === at(row, 2);
      },
    );
    return { rows, written };
  };
}

/** The value that each reading of a batch finds at its instant; NaN where there is none. */
export async function readValuesAt(
  lane: Lane,
  { count, rows }: ReadingBatch,
): Promise<Float64Array> {
  const keys = keyArrays(count, (row, column) => rows[row * columns + column] ?? 0);
  const values = new Float64Array(count).fill(Number.NaN);
  for (const { n, value } of await lane.query<{ n: number; value: number }>(
    ofReadings.stored,
    keys,
  ))
    values[n - 1] = value;
  return values;
}

/** Inserts all rows plainly; false if that is not possible, and then none is inserted. */
async function isInserted(lane: Lane, rows: GivenRows): Promise<boolean> {
  const { count, at } = rows;
  try {
    if (count >= leastForCopy) await lane.copy(copySql, toBinaryRows(count, at));
    else if (count > 0)
      await lane.query(ofReadings.plain, [...keyArrays(count, at), ...contentOf(rows)]);
    return true;
  } catch (thrown) {
    if (mayBeRepeated(thrown)) return false;
    throw thrown;
  }
}

function contentOf({ count, at }: GivenRows): Buffer[] {
  return [
    toBinaryArray('float8', count, (row) => at(row, 2)),
    toBinaryArray('int2', count, (row) => at(row, 3)),
  ];
}

function joined(batches: readonly ReadingBatch[]): Float64Array {
  const [only] = batches;
  if (only && batches.length === 1) return only.rows.subarray(0, only.count * columns);
  const rows = new Float64Array(columns * batches.reduce((sum, { count }) => sum + count, 0));
  let place = 0;
  for (const { rows: batchRows, count } of batches) {
    rows.set(batchRows.subarray(0, count * columns), place);
    place += count * columns;
  }
  return rows;
}

const content = { status: 'text', battery: 'float8', signal: 'float8', firmware: 'text' } as const;
const ofHeartbeats = statementsFor('heartbeats', content);

/** The same for heartbeats, which come seldom. */
export function createHeartbeatWriter(lane: Lane): WriteGroup<readonly Heartbeat[]> {
  return async (batches) => {
    const all = batches.flat();
    const at = (row: number, column: number) => all[row]?.[column === 0 ? 'series' : 'atUs'] ?? 0;
    const rows = { sizes: batches.map(({ length }) => length), count: all.length, at };
    const names = Object.keys(content) as (keyof typeof content)[]; // its own
    const others = names.map((name) => all.map((heartbeat) => heartbeat[name]));
    const { results } = await insertNew<Pick<Heartbeat, keyof typeof content>>(
      lane,
      ofHeartbeats,
      { rows, others },
      (row, stored) => names.every((name) => all[row]?.[name] === stored[name]),
    );
    return results;
  };
}

/** Rows of several batches. */
interface GivenRows {
  /** How many rows each batch has. */
  sizes: readonly number[];
  count: number;
  /** A number of a row: column 0 is the series, column 1 the instant. */
  at(row: number, column: number): number;
}

/** What became of rows: a result for each batch, and the places of those that were there already. */
interface Written {
  results: BatchResult[];
  missing: readonly number[];
}

function allAccepted({ sizes }: GivenRows): Written {
  const results = sizes.map((accepted) => ({ accepted, duplicates: 0, conflicts: [] }));
  return { results, missing: [] };
}

/**
 * Inserts the rows whose key is new. Of the others, the same content again is a retry, another content does not replace the first
 * (promise 5.7). `others` are the columns next to those of the key.
 */
async function insertNew<Stored extends object>(
  lane: Lane,
  sql: ReturnType<typeof statementsFor>,
  { rows, others }: { rows: GivenRows; others: readonly unknown[] },
  isSame: (row: number, stored: Stored) => boolean,
): Promise<Written> {
  const { sizes, count, at } = rows;
  const [inserted] = await lane.query<{ n: number; keys: string | null }>(sql.new, [
    ...keyArrays(count, at),
    ...others,
    count,
  ]);
  if (inserted?.n === count) return allAccepted(rows);
  // Of several rows with a key the first was inserted.
  const insertedKeys = new Set(inserted?.keys?.split(','));
  const missing: number[] = [];
  for (let row = 0; row < count; row++)
    if (!insertedKeys.delete(rowKey(at(row, 0), at(row, 1)))) missing.push(row);
  const keys = keyArrays(missing.length, (n, column) => at(missing[n] ?? 0, column));
  // By itself, after the insert: rows that another daemon has inserted meanwhile are seen only by a later statement.
  const storedRows = await lane.query<Stored & { n: number }>(sql.stored, keys);
  const conflicts = new Set<number>();
  // What was removed meanwhile was there when it was sent again.
  for (const stored of storedRows) {
    const row = missing[stored.n - 1];
    if (row !== undefined && !isSame(row, stored)) conflicts.add(row);
  }
  let [next, start] = [0, 0];
  const results = sizes.map((size) => {
    const result = { accepted: size, duplicates: 0, conflicts: [] as number[] };
    for (let row = missing[next]; row !== undefined && row < start + size; row = missing[++next]) {
      result.accepted--;
      if (conflicts.has(row)) result.conflicts.push(row - start);
      else result.duplicates++;
    }
    start += size;
    return result;
  });
  return { results, missing };
}
