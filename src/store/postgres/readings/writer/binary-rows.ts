import { entityOfSeries, numberOfSeries } from './series-numbers.ts';

/** The signature of the format, its flags, and the length of the rest of the head. */
const head = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** The number of columns, and for each its length and its bytes. */
const rowBytes = 2 + (4 + 4) + (4 + 4) + (4 + 8) + (4 + 8) + (4 + 2);
const upperHalf = 2 ** 32;

/**
 * The rows of readings in the binary format of COPY, in order of their keys: two connections that write the same ones then wait
 * for each other in one direction only. Columns are series, instant, value and quality.
 */
export function toBinaryRows(count: number, at: (row: number, column: number) => number): Buffer {
  const buffer = Buffer.allocUnsafe(head.length + count * rowBytes + 2);
  head.copy(buffer);
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  let place = head.length;
  for (const row of inOrder(count, at)) {
    const series = at(row, 0);
    const atUs = at(row, 1);
    view.setInt16(place, 5);
    view.setInt32(place + 2, 4);
    view.setInt32(place + 6, entityOfSeries(series));
    view.setInt32(place + 10, 4);
    view.setInt32(place + 14, numberOfSeries(series));
    view.setInt32(place + 18, 8);
    // In two halves, since a BigInt for each reading would be memory to collect.
    view.setInt32(place + 22, Math.floor(atUs / upperHalf));
    view.setUint32(place + 26, atUs % upperHalf);
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
