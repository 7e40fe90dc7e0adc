import { qualities, type ReadingFeed, type StoredReading } from '../../../core/port/readings.ts';
import type { Connection } from '../../sqlite-file/driver.ts';
import { readRow } from './log/rows.ts';

/**
 * Follows the log, in which each commit of any process is a row: a row stays for seconds before its readings are compacted and it is
 * trimmed. See the port.
 */
export function createFeed(connection: Connection, series: ReadonlySet<number>): ReadingFeed {
  const rowsAfter = connection.prepare<[number], { id: number; body: Buffer }>(
    'select id, body from log where id > ? order by id',
  );
  const selectLastId = connection.prepare<[], number | null>('select max(id) from log').pluck();
  let lastId = selectLastId.get() ?? 0;

  return {
    next() {
      const readings: StoredReading[] = [];
      let isComplete = true;
      for (const { id, body } of rowsAfter.iterate(lastId)) {
        // An empty row stands for the trimmed ones before it.
        if (id > lastId + 1 || body.length === 0) isComplete = false;
        lastId = id;
        readRow(body, {
          reading(seriesNumber, atUs, value, quality) {
            if (series.has(seriesNumber))
              readings.push({
                series: seriesNumber,
                atUs,
                value,
                quality: qualities[quality - 1] ?? null,
              });
          },
          // Erased readings are not new.
          removal() {},
        });
      }
      return { readings, isComplete };
    },
    close() {},
  };
}
