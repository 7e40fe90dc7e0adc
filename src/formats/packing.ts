import type { ImportBatch, ImportColumn } from '../core/records/import-batch.ts';

/** Values that come again and again: each once, and for each row the place of its own among them. */
interface CodedColumn {
  values: readonly unknown[];
  codes: Uint8Array;
}

type PackedColumn = CodedColumn | Float64Array | ImportColumn;

/** A batch on its way to another thread: there every value has to be made anew, which takes longer than to judge it. */
export interface PackedBatch {
  lines: PackedColumn;
  columns: readonly PackedColumn[];
}

/** The batch as it is to be sent. */
export function pack({ lines, columns }: ImportBatch): PackedBatch {
  return { lines: numbersOf(lines) ?? lines, columns: columns.map((column) => numbersOf(column) ?? codedOf(column)) };
}

/** The batch as it was before it was packed. */
export function unpack({ lines, columns }: PackedBatch): ImportBatch {
  return { lines: unpackColumn(lines) as readonly number[], columns: columns.map(unpackColumn) }; // as they were packed
}

/** Undefined where anything else than numbers stands among them. */
function numbersOf(column: ImportColumn): Float64Array | undefined {
  const numbers = new Float64Array(typeof column[0] === 'number' ? column.length : 0);
  for (let i = 0; i < column.length; i++) {
    const value = column[i];
    if (typeof value !== 'number') return undefined;
    numbers[i] = value;
  }
  return numbers;
}

/** A column with more values than these is mostly of another one in each row. */
const mostValues = 64;

function codedOf(column: ImportColumn): PackedColumn {
  const places = new Map<unknown, number>();
  const codes = new Uint8Array(column.length);
  for (let i = 0; i < codes.length; i++) {
    let place = places.get(column[i]);
    if (place === undefined) {
      place = places.size;
      if (place === mostValues) return column;
      places.set(column[i], place);
    }
    codes[i] = place;
  }
  return { values: [...places.keys()], codes };
}

function unpackColumn(column: PackedColumn): ImportColumn {
  if ('codes' in column) return decoded(column);
  return column instanceof Float64Array ? plain(column) : column;
}

function decoded({ values, codes }: CodedColumn): ImportColumn {
  const column: unknown[] = new Array(codes.length);
  for (let i = 0; i < codes.length; i++) column[i] = values[codes[i] as number]; // i is within
  return column;
}

/** What Array.from() makes, in a tenth of its time. */
function plain(numbers: Float64Array): ImportColumn {
  const column: unknown[] = new Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) column[i] = numbers[i];
  return column;
}
