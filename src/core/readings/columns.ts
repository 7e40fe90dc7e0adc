/** Readings of one series in order of time, column by column; each quality as in a batch. */
export interface Columns {
  count: number;
  atUs: Float64Array;
  values: Float64Array;
  qualities: Uint8Array;
}

/** A reading whose quality does not matter. */
export interface TimedReading {
  atUs: number;
  value: number;
}

/** The readings from one place (inclusive) up to another (exclusive). */
export interface Piece {
  columns: Columns;
  from: number;
  to: number;
}

export function createColumns(size: number): Columns {
  return {
    count: 0,
    atUs: new Float64Array(size),
    values: new Float64Array(size),
    qualities: new Uint8Array(size),
  };
}

/** The readings from one place up to another, in the same memory. */
export function partOf(
  { atUs, values, qualities }: Columns,
  startIndex: number,
  endIndex: number,
): Columns {
  return {
    count: endIndex - startIndex,
    atUs: atUs.subarray(startIndex, endIndex),
    values: values.subarray(startIndex, endIndex),
    qualities: qualities.subarray(startIndex, endIndex),
  };
}

/** The index of the first reading that is not before an instant. */
export function placeOf(
  { atUs, count }: Pick<Columns, 'atUs' | 'count'>,
  soughtUs: number,
): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((atUs[middle] ?? 0) < soughtUs) low = middle + 1;
    else high = middle;
  }
  return low;
}
