import { createReadings } from '../../../../src/core/readings/series-readings.ts';
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
    const readings = createReadings(Math.min(atOnce, count - from));
    for (; readings.count < readings.atUs.length; readings.count++) {
      const [atUs, value, quality = 0] = readingOf(from + readings.count);
      readings.atUs[readings.count] = atUs;
      readings.values[readings.count] = value;
      readings.qualities[readings.count] = quality;
    }
    stored.writing(() => stored.chunks.add(series, readings));
  }
}
