import type { BatchResult } from '../../../../core/port/readings.ts';

export function allAccepted(sizes: readonly number[]): BatchResult[] {
  return sizes.map((accepted) => ({ accepted, duplicates: 0, conflicts: [] }));
}

/**
 * The positions of the rows that a statement did not insert. `keys` has the key of each row, `inserted` those that the
 * statement returned: of several rows with a key it inserted the first.
 */
export function notInserted(keys: readonly string[], inserted: readonly string[]): number[] {
  const left = new Set(inserted);
  const positions: number[] = [];
  keys.forEach((key, position) => {
    if (!left.delete(key)) positions.push(position);
  });
  return positions;
}

type Refusal = 'duplicate' | 'conflict';

/**
 * The results of batches, some of whose rows were not inserted: the same content again is a retry, another content does not
 * replace the first (contract, section 5). `refusalOf` takes the index of a row in `missing`.
 */
export function resultsOf(
  sizes: readonly number[],
  missing: readonly number[],
  refusalOf: (index: number) => Refusal,
): BatchResult[] {
  let index = 0;
  let start = 0;
  return sizes.map((size) => {
    let duplicates = 0;
    const conflicts: number[] = [];
    for (let row = missing[index]; row !== undefined && row < start + size; row = missing[++index]) {
      if (refusalOf(index) === 'duplicate') duplicates++;
      else conflicts.push(row - start);
    }
    start += size;
    const accepted = size - duplicates - conflicts.length;
    return { accepted, duplicates, conflicts };
  });
}
