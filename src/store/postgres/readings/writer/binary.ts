import { entityOfSeries, numberOfSeries } from './series-numbers.ts';

/**
 * Arrays without nulls in PostgreSQL's binary format, which a statement reads in a quarter of the time of text. They are
 * dimensions, nulls, type, size and lower bound, then for each element its length and its bytes.
 */
type ElementType = keyof typeof elementTypes;

/** Returns the array of the type with `size` elements; all types but `float8` have whole numbers. */
export function toBinaryArray(
  type: ElementType,
  size: number,
  elementAt: (index: number) => number,
): Buffer {
  const { oid, bytes: elementBytes } = elementTypes[type];
  const headerSize = size === 0 ? emptyHeaderBytes : headerBytes;
  const buffer = new ArrayBuffer(headerSize + size * (lengthBytes + elementBytes));

  const view = new DataView(buffer);
  view.setInt32(0, size === 0 ? 0 : 1);
  view.setInt32(8, oid);
  if (size > 0) {
    view.setInt32(12, size);
    view.setInt32(16, 1);
  }

  let offset = headerSize;
  for (let index = 0; index < size; index++) {
    view.setInt32(offset, elementBytes);
    offset += lengthBytes;
    setElement(view, offset, type, elementAt(index));
    offset += elementBytes;
  }
  return Buffer.from(buffer);
}

/** The parameters with the keys of rows: column 0 is the series, column 1 the instant. */
export function keyArrays(
  count: number,
  cellAt: (row: number, column: number) => number,
): Buffer[] {
  return [
    toBinaryArray('int4', count, (row) => entityOfSeries(cellAt(row, 0))),
    toBinaryArray('int4', count, (row) => numberOfSeries(cellAt(row, 0))),
    toBinaryArray('int8', count, (row) => cellAt(row, 1)),
  ];
}

const elementTypes = {
  int2: { oid: 21, bytes: 2 },
  int4: { oid: 23, bytes: 4 },
  int8: { oid: 20, bytes: 8 },
  float8: { oid: 701, bytes: 8 },
} as const;

const emptyHeaderBytes = 12;
const headerBytes = 20;
const lengthBytes = 4;
const upperHalf = 2 ** 32;

function setElement(view: DataView, offset: number, type: ElementType, value: number): void {
  if (type === 'float8') view.setFloat64(offset, value);
  else if (type === 'int4') view.setInt32(offset, value);
  else if (type === 'int2') view.setInt16(offset, value);
  else setInt64(view, offset, value);
}

/** In two halves, without a BigInt (decision 34). */
function setInt64(view: DataView, offset: number, value: number): void {
  view.setInt32(offset, Math.floor(value / upperHalf));
  view.setUint32(offset + 4, value % upperHalf);
}

/** The signature of the format, its flags, and the length of the header extension. */
const copyHeader = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** The number of columns, and for each its length and its bytes. */
const rowBytes = 2 + (4 + 4) + (4 + 4) + (4 + 8) + (4 + 8) + (4 + 2);

/**
 * The rows of readings in the binary format of COPY, in order of their keys. Two connections that write the same ones then wait
 * for each other in one direction only. Columns are series, instant, value and quality.
 */
export function toBinaryRows(
  count: number,
  cellAt: (row: number, column: number) => number,
): Buffer {
  const buffer = Buffer.allocUnsafe(copyHeader.length + count * rowBytes + 2);
  copyHeader.copy(buffer);

  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  let offset = copyHeader.length;
  for (const row of inOrder(count, cellAt)) {
    const series = cellAt(row, 0);

    view.setInt16(offset, 5);
    view.setInt32(offset + 2, 4);
    view.setInt32(offset + 6, entityOfSeries(series));
    view.setInt32(offset + 10, 4);
    view.setInt32(offset + 14, numberOfSeries(series));
    view.setInt32(offset + 18, 8);
    setInt64(view, offset + 22, cellAt(row, 1));
    view.setInt32(offset + 30, 8);
    view.setFloat64(offset + 34, cellAt(row, 2));
    view.setInt32(offset + 42, 2);
    view.setInt16(offset + 46, cellAt(row, 3));
    offset += rowBytes;
  }

  view.setInt16(offset, -1);
  return buffer;
}

/** The rows in order of series and instant. The rows of one series mostly are in order of time already. */
function inOrder(count: number, cellAt: (row: number, column: number) => number): number[] {
  const rowsBySeries = new Map<number, number[]>();
  for (let row = 0; row < count; row++) {
    const seriesRows = rowsBySeries.get(cellAt(row, 0));
    if (seriesRows) seriesRows.push(row);
    else rowsBySeries.set(cellAt(row, 0), [row]);
  }
  const sorted = [...rowsBySeries].sort(([a], [b]) => a - b);
  return sorted.flatMap(([, seriesRows]) => seriesRows.sort((a, b) => cellAt(a, 1) - cellAt(b, 1)));
}
