import { createColumns } from '../../../../src/core/readings/columns.ts';
import { StoredReadings } from '../../../../src/store/sqlite/readings/stored.ts';
import type { Connection } from '../../../../src/store/sqlite-file/driver.ts';

const atOnce = 65_536;

/** Puts readings of one series into a database, compacted: the n-th one as a function gives it, in order of time. */
export function fillSeries(
  connection: Connection,
  series: number,
  count: number,
  readingOf: (n: number) => readonly [atUs: number, value: number, quality?: number],
): void {
  const stored = new StoredReadings(connection);
  for (let from = 0; from < count; from += atOnce) {
    const columns = createColumns(Math.min(atOnce, count - from));
    for (; columns.count < columns.atUs.length; columns.count++) {
      const [atUs, value, quality = 0] = readingOf(from + columns.count);
      columns.atUs[columns.count] = atUs;
      columns.values[columns.count] = value;
      columns.qualities[columns.count] = quality;
    }
    stored.writing(() => stored.chunks.add(series, columns));
  }
}
