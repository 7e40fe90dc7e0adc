import { createColumns } from '../../../core/readings/reads/columns.ts';
import type { Connection } from '../connection/driver.ts';
import { Chunks } from '../readings/chunks/chunks.ts';

/** Readings that are read at once. */
const rowsAtOnce = 65_536;

/** Puts the readings of a store that has a row for each of them into chunks, before that table is dropped. */
export function rowsToChunks(connection: Connection): void {
  const chunks = new Chunks(connection);
  const nextSeries = connection
    .prepare<[number], number>('select series from readings where series > ? order by series limit 1')
    .pluck();
  const rows = connection
    .prepare<[number, number], [atUs: number, value: number, quality: number]>(
      `select at_us, value, quality from readings where series = ? and at_us > ? order by at_us limit ${rowsAtOnce}`,
    )
    .raw();
  const first = Number.NEGATIVE_INFINITY;
  for (let series = nextSeries.get(first); series !== undefined; series = nextSeries.get(series)) {
    for (let columns = createColumns(rowsAtOnce), lastUs = first; ; columns.count = 0) {
      for (const [atUs, value, quality] of rows.iterate(series, lastUs) as Iterable<[number, number, number]>) {
        columns.atUs[columns.count] = lastUs = atUs;
        columns.values[columns.count] = value;
        columns.qualities[columns.count++] = quality;
      }
      chunks.add(series, columns);
      if (columns.count < rowsAtOnce) break;
    }
  }
}
