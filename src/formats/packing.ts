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
  return {
    lines: unpackColumn(lines) as readonly number[], // lines are numbers
    columns: columns.map(unpackColumn),
  };
}

function numbersOf(column: ImportColumn): Float64Array | undefined {
  const numbers = new Float64Array(typeof column[0] === 'number' ? column.length : 0);
  for (let rowIndex = 0; rowIndex < column.length; rowIndex++) {
    const value = column[rowIndex];
    if (typeof value !== 'number') return undefined;
    numbers[rowIndex] = value;
  }
  return numbers;
}

/** A column with more distinct values than this rarely repeats them. */
const maxDistinctValues = 64;

function codedOf(column: ImportColumn): PackedColumn {
  const codesByValue = new Map<unknown, number>();
  const codes = new Uint8Array(column.length);
  for (let rowIndex = 0; rowIndex < codes.length; rowIndex++) {
    let code = codesByValue.get(column[rowIndex]);
    if (code === undefined) {
      code = codesByValue.size;
      if (code === maxDistinctValues) return column;
      codesByValue.set(column[rowIndex], code);
    }
    codes[rowIndex] = code;
  }
  return { values: [...codesByValue.keys()], codes };
}

function unpackColumn(column: PackedColumn): ImportColumn {
  if ('codes' in column) return decodeColumn(column);
  return column instanceof Float64Array ? plainColumn(column) : column;
}

function decodeColumn({ values, codes }: CodedColumn): ImportColumn {
  const column: unknown[] = new Array(codes.length);
  for (let rowIndex = 0; rowIndex < codes.length; rowIndex++) {
    column[rowIndex] = values[codes[rowIndex] as number]; // a code for each row
  }
  return column;
}

/** Array.from() takes ten times as long. */
function plainColumn(numbers: Float64Array): ImportColumn {
  const column: unknown[] = new Array(numbers.length);
  for (let rowIndex = 0; rowIndex < numbers.length; rowIndex++) {
    column[rowIndex] = numbers[rowIndex];
  }
  return column;
}
