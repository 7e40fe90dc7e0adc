import type { BatchResult } from '../../../../core/port/readings.ts';
import type { Lane } from '../../connection/pool.ts';
import { keyArrays } from './binary.ts';
import { rowKey } from './series-numbers.ts';

/** Rows of several batches, of which a statement inserts those whose key is new. */
export interface GivenRows {
  /** How many rows each batch has. */
  sizes: readonly number[];
  /** A number of a row: column 0 is the series, column 1 the instant. */
  at(row: number, column: number): number;
}

export function allAccepted(sizes: readonly number[]): BatchResult[] {
  return sizes.map((accepted) => ({ accepted, duplicates: 0, conflicts: [] }));
}

/**
 * The results of batches, some of whose rows were not inserted: the same content again is a retry, another content does not
 * replace the first (contract, section 5). `inserted` are the keys that the statement returned: of several rows with a key it
 * inserted the first. `storedSql` returns what is stored for keys, each with its place `n` from 1 on.
 */
export async function resultsOf<Stored extends object>(
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
