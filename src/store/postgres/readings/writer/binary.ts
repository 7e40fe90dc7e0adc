import { entityOfSeries, numberOfSeries } from './series-numbers.ts';

/**
 * Arrays without nulls in PostgreSQL's binary format, which a statement reads in a quarter of the time of text: dimensions,
 * nulls, type, size and lower bound, then for each element its length and its bytes.
 */
type ElementType = keyof typeof elementTypes;

/** Returns the array of the type with `size` elements; those of all types but `float8` are whole. */
export function toBinaryArray(
  type: ElementType,
  size: number,
  elementAt: (index: number) => number,
): Buffer {
  const { oid, bytes } = elementTypes[type];
  const head = size === 0 ? emptyHeadBytes : headBytes;
  const buffer = new ArrayBuffer(head + size * (lengthBytes + bytes));
  const view = new DataView(buffer);
  view.setInt32(0, size === 0 ? 0 : 1);
  view.setInt32(8, oid);
  if (size > 0) {
    view.setInt32(12, size);
    view.setInt32(16, 1);
  }
  let at = head;
  for (let index = 0; index < size; index++) {
    view.setInt32(at, bytes);
    at += lengthBytes;
    setElement(view, at, type, elementAt(index));
    at += bytes;
  }
  return Buffer.from(buffer);
}

/** The parameters with the keys of rows: column 0 is the series, column 1 the instant. */
export function keyArrays(count: number, at: (row: number, column: number) => number): Buffer[] {
  return [
    toBinaryArray('int4', count, (row) => entityOfSeries(at(row, 0))),
    toBinaryArray('int4', count, (row) => numberOfSeries(at(row, 0))),
    toBinaryArray('int8', count, (row) => at(row, 1)),
  ];
}

const elementTypes = {
  int2: { oid: 21, bytes: 2 },
  int4: { oid: 23, bytes: 4 },
  int8: { oid: 20, bytes: 8 },
  float8: { oid: 701, bytes: 8 },
} as const;

const emptyHeadBytes = 12;
const headBytes = 20;
const lengthBytes = 4;
const upperHalf = 2 ** 32;

function setElement(view: DataView, at: number, type: ElementType, value: number): void {
  if (type === 'float8') view.setFloat64(at, value);
  else if (type === 'int4') view.setInt32(at, value);
  else if (type === 'int2') view.setInt16(at, value);
  else setInt64(view, at, value);
}

/** In two halves, since a BigInt for each reading would be memory to collect. */
function setInt64(view: DataView, at: number, value: number): void {
  view.setInt32(at, Math.floor(value / upperHalf));
  view.setUint32(at + 4, value % upperHalf);
}

/** The signature of the format, its flags, and the length of the rest of the head. */
const headOfRows = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** The number of columns, and for each its length and its bytes. */
const rowBytes = 2 + (4 + 4) + (4 + 4) + (4 + 8) + (4 + 8) + (4 + 2);

/**
 * The rows of readings in the binary format of COPY, in order of their keys: two connections that write the same ones then wait
 * for each other in one direction only. Columns are series, instant, value and quality.
 */
export function toBinaryRows(count: number, at: (row: number, column: number) => number): Buffer {
  const buffer = Buffer.allocUnsafe(headOfRows.length + count * rowBytes + 2);
  headOfRows.copy(buffer);
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  let place = headOfRows.length;
  for (const row of inOrder(count, at)) {
    const series = at(row, 0);
    view.setInt16(place, 5);
    view.setInt32(place + 2, 4);
    view.setInt32(place + 6, entityOfSeries(series));
    view.setInt32(place + 10, 4);
    view.setInt32(place + 14, numberOfSeries(series));
    view.setInt32(place + 18, 8);
    setInt64(view, place + 22, at(row, 1));
    view.setInt32(place + 30, 8);
    view.setFloat64(place + 34, at(row, 2));
    view.setInt32(place + 42, 2);
    view.setInt16(place + 46, at(row, 3));
    place += rowBytes;
  }
  view.setInt16(place, -1);
  return buffer;
}

/** The rows in order of series and instant. Those of one series mostly are in order of time already. */
function inOrder(count: number, at: (row: number, column: number) => number): number[] {
  const ofSeries = new Map<number, number[]>();
  for (let row = 0; row < count; row++) {
    const rows = ofSeries.get(at(row, 0));
    if (rows) rows.push(row);
    else ofSeries.set(at(row, 0), [row]);
  }
  const sorted = [...ofSeries].sort(([a], [b]) => a - b);
  return sorted.flatMap(([, rows]) => rows.sort((a, b) => at(a, 1) - at(b, 1)));
}
