import type { ImportBatch, ImportColumn } from '../core/fields/import-batch.ts';

/** A column of repeated values: each value once, and for each row its index among them. */
interface CodedColumn {
  values: readonly unknown[];
  codes: Uint8Array;
}

type PackedColumn = CodedColumn | Float64Array | ImportColumn;

/** A batch for another thread, packed because cloning every value would take longer than its validation. */
export interface PackedBatch {
  lines: PackedColumn;
  columns: readonly PackedColumn[];
}

export function pack({ lines, columns }: ImportBatch): PackedBatch {
  return {
    lines: numbersOf(lines) ?? lines,
    columns: columns.map((column) => numbersOf(column) ?? codedOf(column)),
  };
}

export function unpack({ lines, columns }: PackedBatch): ImportBatch {
  return { lines: unpackColumn(lines) as readonly number[], columns: columns.map(unpackColumn) }; // lines are numbers
}

function numbersOf(column: ImportColumn): Float64Array | undefined {
  const numbers = new Float64Array(typeof column[0] === 'number' ? column.length : 0);
  for (let i = 0; i < column.length; i++) {
    const value = column[i];
    if (typeof value !== 'number') return undefined;
    numbers[i] = value;
  }
  return numbers;
}

/** A column with more distinct values than this rarely repeats them. */
const mostValues = 64;

function codedOf(column: ImportColumn): PackedColumn {
  const indexes = new Map<unknown, number>();
  const codes = new Uint8Array(column.length);
  for (let i = 0; i < codes.length; i++) {
    let index = indexes.get(column[i]);
    if (index === undefined) {
      index = indexes.size;
      if (index === mostValues) return column;
      indexes.set(column[i], index);
    }
    codes[i] = index;
  }
  return { values: [...indexes.keys()], codes };
}

function unpackColumn(column: PackedColumn): ImportColumn {
  if ('codes' in column) return decoded(column);
  return column instanceof Float64Array ? plain(column) : column;
}

function decoded({ values, codes }: CodedColumn): ImportColumn {
  const column: unknown[] = new Array(codes.length);
  for (let i = 0; i < codes.length; i++) column[i] = values[codes[i] as number]; // a code for each row
  return column;
}

/** Array.from() takes ten times as long. */
function plain(numbers: Float64Array): ImportColumn {
  const column: unknown[] = new Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) column[i] = numbers[i];
  return column;
}
