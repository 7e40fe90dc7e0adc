import { qualities, type ReadingFeed, type StoredReading } from '../../../core/port/readings.ts';
import { endOfTimeUs } from '../../../core/readings/instants.ts';
import { toReadings } from '../../../core/readings/series-readings.ts';
import type { Connection } from '../../sqlite-file/driver.ts';
import type { StoredReadings } from './stored.ts';
import { readRow } from './write-buffer/rows.ts';

/** Readings that are taken at once from the chunks of a series. */
const pageSize = 10_000;

/**
 * Follows the write buffer, where each commit of any process is a row. If rows were trimmed since the last look, readings after
 * the newest one of each series replace them. See the port.
 */
export function createFeed(
  connection: Connection,
  stored: StoredReadings,
  series: ReadonlySet<number>,
): ReadingFeed {
  const rowsAfter = connection.prepare<[number], { id: number; body: Buffer }>(
    'select id, body from log where id > ? order by id',
  );
  const selectLastId = connection.prepare<[], number | null>('select max(id) from log').pluck();
  let lastId = 0;
  const newestUs = stored.readingLast((lastOf) => {
    lastId = selectLastId.get() ?? 0;
    return new Map([...series].map((number) => [number, lastOf(number)?.atUs ?? -endOfTimeUs]));
  });

  /** The readings of the write buffer since the last look; not `isWhole` if rows of it were trimmed. */
  function bufferedSince(): { readings: StoredReading[]; isWhole: boolean; lastRowId: number } {
    const readings: StoredReading[] = [];
    let isWhole = true;
    let lastRowId = lastId;
    for (const { id, body } of rowsAfter.iterate(lastId)) {
      // An empty row stands for the trimmed ones before it.
      if (id > lastRowId + 1 || body.length === 0) isWhole = false;
      lastRowId = id;
      readRow(body, {
        reading(seriesNumber, atUs, value, quality) {
          if (!series.has(seriesNumber)) return;
          const qualityName = qualities[quality - 1] ?? null;
          readings.push({ series: seriesNumber, atUs, value, quality: qualityName });
        },
        // Erased readings are not new.
        removal() {},
      });
    }
    return { readings, isWhole, lastRowId };
  }

  function* storedAfter(seriesNumber: number, afterUs: number): Generator<StoredReading> {
    for (let fromUs = afterUs + 1; ; ) {
      const range = { series: seriesNumber, fromUs, toUs: endOfTimeUs, limit: pageSize };
      const page = toReadings(stored.range(range));
      for (const reading of page) yield { series: seriesNumber, ...reading };
      if (page.length < pageSize) return;
      fromUs = (page.at(-1)?.atUs ?? endOfTimeUs) + 1;
    }
  }

  /** In one transaction, so that no reading is reported twice. */
  const readMissed = () => {
    const { readings, lastRowId } = bufferedSince();
    const lateReadings = readings.filter(
      ({ series, atUs }) => atUs <= (newestUs.get(series) ?? atUs),
    );
    const missed: StoredReading[] = [];
    for (const [seriesNumber, atUs] of newestUs) missed.push(...storedAfter(seriesNumber, atUs));
    return { readings: [...lateReadings, ...missed], lastRowId };
  };

  return {
    next() {
      const buffered = bufferedSince();
      const { readings, lastRowId } = buffered.isWhole ? buffered : stored.reading(readMissed);
      lastId = lastRowId;
      for (const { series, atUs } of readings) {
        newestUs.set(series, Math.max(newestUs.get(series) ?? atUs, atUs));
      }
      return { readings, isComplete: buffered.isWhole };
    },
    close() {},
  };
}
