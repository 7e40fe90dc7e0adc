import {
  type BatchResult,
  readingColumns as columns,
  type Heartbeat,
  type ReadingBatch,
} from '../../../../core/port/readings.ts';
import type { Lane } from '../../connection/database.ts';
import { mayBeRepeated } from '../../errors/errors.ts';
import { Announcer } from './announcer.ts';
import { keyArrays, toBinaryArray, toBinaryRows } from './binary.ts';
import type { WriteBatches } from './ingest-queue.ts';
import { rowKey } from './series-numbers.ts';

/**
 * The statements for rows of a table whose key is entity, series and instant; `columns` are the others with their types. Rows are
 * inserted in order of the key, so that two statements, also of two daemons, wait for each other's rows in one direction only; of
 * rows with the same key the first comes first.
 */
function statementsFor(table: string, columns: Readonly<Record<string, string>>) {
  const keyColumns = 'entity, series, at_us';
  const otherColumns = Object.keys(columns).join(', ');
  const allColumns = `${keyColumns}, ${otherColumns}`;

  const columnTypes = ['int4', 'int4', 'int8', ...Object.values(columns)];
  const arrayParameters = columnTypes.map((type, index) => `$${index + 1}::${type}[]`);
  const keyParameters = arrayParameters.slice(0, 3);
  const insert = `insert into ${table} (${allColumns})
    select ${allColumns} from unnest(${arrayParameters.join(', ')})`;

  return {
    /** Inserts all rows or none: fails if one is there already. */
    plain: `${insert} as u (${allColumns}) order by ${keyColumns}`,
    /** Rows with a new key: how many were inserted and, if that is not all, which: `entity series at_us`, by commas. */
    new: `with i as (${insert} with ordinality as u (${allColumns}, n) order by ${keyColumns}, n
        on conflict do nothing returning ${keyColumns})
      select count(*)::int4 as n, case when count(*) < $${columnTypes.length + 1} then (
        select string_agg(entity || ' ' || series || ' ' || at_us, ',') from i) end as keys from i`,
    /** The stored row of each key, with the place of the key from 1 on. */
    stored: `select u.n::int4 as n, ${otherColumns}
      from unnest(${keyParameters.join(', ')}) with ordinality as u (${keyColumns}, n)
      join ${table} using (${keyColumns})`,
  };
}

const readingStatements = statementsFor('readings', { value: 'float8', quality: 'int2' });
/** Many rows are copied (decision 17). */
const copySql = 'copy readings (entity, series, at_us, value, quality) from stdin binary';
const minRowsForCopy = 1000;

/**
 * After batches that could not be inserted plainly, this number of writes is not tried plainly. Repeated readings come in
 * numbers when a gateway sends again, and each failure leaves rows for the server to clean up.
 */
const carefulWrites = 256;

/**
 * Creates the writer of readings on a connection: one statement for several batches, which is their transaction, too. Inside
 * a transaction of others it cannot be used: a repeated reading would end that.
 */
export function createReadingWriter(lane: Lane, schema: string): WriteBatches<ReadingBatch> {
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
function insertedRows({ count, cellAt }: BatchRows, { missing }: Written) {
  const missingRows = new Set(missing);
  return Array.from({ length: count }, (_, row) => row)
    .filter((row) => !missingRows.has(row))
    .map((row) => [cellAt(row, 0), cellAt(row, 1), cellAt(row, 2), cellAt(row, 3)] as const);
}

function createPlainFirst(lane: Lane) {
  let carefulWritesLeft = 0;
  return async (
    batches: readonly ReadingBatch[],
  ): Promise<{ rows: BatchRows; written: Written }> => {
    const cells = joinBatches(batches);
    const cellAt = (row: number, column: number) => cells[row * columns + column] ?? 0;
    const rows: BatchRows = {
      sizes: batches.map(({ count }) => count),
      count: cells.length / columns,
      cellAt,
    };

    if (carefulWritesLeft > 0) carefulWritesLeft--;
    else if (await isInserted(lane, rows)) return { rows, written: allAccepted(rows) };
    else carefulWritesLeft = carefulWrites;

    const written = await insertNew<{ value: number }>(
      lane,
      readingStatements,
      { rows, contentColumns: contentArraysOf(rows) },
      (row, { value }) => value === cellAt(row, 2),
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
  const storedRows = await lane.query<{ n: number; value: number }>(readingStatements.stored, keys);
  for (const { n, value } of storedRows) values[n - 1] = value;
  return values;
}

/** Inserts all rows plainly; false if that is not possible, and then none is inserted. */
async function isInserted(lane: Lane, rows: BatchRows): Promise<boolean> {
  const { count, cellAt } = rows;
  try {
    if (count >= minRowsForCopy) await lane.copy(copySql, toBinaryRows(count, cellAt));
    else if (count > 0)
      await lane.query(readingStatements.plain, [
        ...keyArrays(count, cellAt),
        ...contentArraysOf(rows),
      ]);
    return true;
  } catch (thrown) {
    if (mayBeRepeated(thrown)) return false;
    throw thrown;
  }
}

function contentArraysOf({ count, cellAt }: BatchRows): Buffer[] {
  return [
    toBinaryArray('float8', count, (row) => cellAt(row, 2)),
    toBinaryArray('int2', count, (row) => cellAt(row, 3)),
  ];
}

function joinBatches(batches: readonly ReadingBatch[]): Float64Array {
  const [onlyBatch] = batches;
  if (onlyBatch && batches.length === 1)
    return onlyBatch.rows.subarray(0, onlyBatch.count * columns);
  const joinedRows = new Float64Array(columns * batches.reduce((sum, { count }) => sum + count, 0));
  let offset = 0;
  for (const { rows: batchRows, count } of batches) {
    joinedRows.set(batchRows.subarray(0, count * columns), offset);
    offset += count * columns;
  }
  return joinedRows;
}

const heartbeatColumns = {
  status: 'text',
  battery: 'float8',
  signal: 'float8',
  firmware: 'text',
} as const;
const heartbeatStatements = statementsFor('heartbeats', heartbeatColumns);

/** The same for heartbeats, which come seldom. */
export function createHeartbeatWriter(lane: Lane): WriteBatches<readonly Heartbeat[]> {
  return async (batches) => {
    const heartbeats = batches.flat();
    const cellAt = (row: number, column: number) =>
      heartbeats[row]?.[column === 0 ? 'series' : 'atUs'] ?? 0;
    const rows = {
      sizes: batches.map(({ length }) => length),
      count: heartbeats.length,
      cellAt,
    };

    const columnNames = Object.keys(heartbeatColumns) as (keyof typeof heartbeatColumns)[]; // its own
    const contentColumns = columnNames.map((name) =>
      heartbeats.map((heartbeat) => heartbeat[name]),
    );

    const { results } = await insertNew<Pick<Heartbeat, keyof typeof heartbeatColumns>>(
      lane,
      heartbeatStatements,
      { rows, contentColumns },
      (row, stored) => columnNames.every((name) => heartbeats[row]?.[name] === stored[name]),
    );
    return results;
  };
}

/** Rows of several batches. */
interface BatchRows {
  /** How many rows each batch has. */
  sizes: readonly number[];
  count: number;
  /** A number of a row: column 0 is the series, column 1 the instant. */
  cellAt(row: number, column: number): number;
}

/** The outcome of a write: a result for each batch, and the places of the rows that were there already. */
interface Written {
  results: BatchResult[];
  missing: readonly number[];
}

function allAccepted({ sizes }: BatchRows): Written {
  const results = sizes.map((accepted) => ({ accepted, duplicates: 0, conflicts: [] }));
  return { results, missing: [] };
}

/**
 * Inserts the rows whose key is new. A row with the same content again is a retry; another content does not replace the first
 * (promise 5.7). `contentColumns` are the columns next to those of the key.
 */
async function insertNew<Stored extends object>(
  lane: Lane,
  statements: ReturnType<typeof statementsFor>,
  { rows, contentColumns }: { rows: BatchRows; contentColumns: readonly unknown[] },
  isSame: (row: number, stored: Stored) => boolean,
): Promise<Written> {
  const { sizes, count, cellAt } = rows;
  const [insertion] = await lane.query<{ n: number; keys: string | null }>(statements.new, [
    ...keyArrays(count, cellAt),
    ...contentColumns,
    count,
  ]);
  if (insertion?.n === count) return allAccepted(rows);

  // Of several rows with a key the first was inserted.
  const insertedKeys = new Set(insertion?.keys?.split(','));
  const missing: number[] = [];
  for (let row = 0; row < count; row++)
    if (!insertedKeys.delete(rowKey(cellAt(row, 0), cellAt(row, 1)))) missing.push(row);

  const keys = keyArrays(missing.length, (index, column) => cellAt(missing[index] ?? 0, column));
  // By itself, after the insert: rows that another daemon has inserted meanwhile are seen only by a later statement.
  const storedRows = await lane.query<Stored & { n: number }>(statements.stored, keys);
  const conflicts = new Set<number>();
  // A row that was removed meanwhile was there when it was sent again.
  for (const stored of storedRows) {
    const row = missing[stored.n - 1];
    if (row !== undefined && !isSame(row, stored)) conflicts.add(row);
  }

  let nextMissing = 0;
  let batchStart = 0;
  const results = sizes.map((batchSize) => {
    const result = { accepted: batchSize, duplicates: 0, conflicts: [] as number[] };
    for (
      let row = missing[nextMissing];
      row !== undefined && row < batchStart + batchSize;
      row = missing[++nextMissing]
    ) {
      result.accepted--;
      if (conflicts.has(row)) result.conflicts.push(row - batchStart);
      else result.duplicates++;
    }
    batchStart += batchSize;
    return result;
  });
  return { results, missing };
}
