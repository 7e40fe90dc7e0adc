import { expect, it, onTestFinished } from 'vitest';
import {
  createReadings,
  type SeriesReadings,
} from '../../../../src/core/readings/series-readings.ts';
import { Chunks } from '../../../../src/store/sqlite-file/chunks/chunks.ts';
import { openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import { applyMigrations } from '../../../../src/store/sqlite-file/schema/migrated-schema.ts';

const series = 1;
const minuteUs = 60_000_000;

function openChunks() {
  const connection = openDatabase(':memory:', {});
  onTestFinished(() => void connection.close());
  applyMigrations(connection, 'readings', 'migrations', ':memory:');
  const counts = connection.prepare('select count from chunks order by from_us').pluck();
  const bytes = connection.prepare<[], number>('select sum(length(body)) from chunks').pluck();
  return { connection, chunks: new Chunks(connection), counts, bytes };
}

/** A reading a minute, from one minute on. */
function minutes(firstMinute: number, count: number): SeriesReadings {
  const readings = createReadings(count);
  readings.count = count;
  for (let index = 0; index < count; index++) {
    const minute = firstMinute + index;
    readings.atUs[index] = minute * minuteUs;
    readings.values[index] = ((minute * minute) % 17) / 4;
  }
  return readings;
}

it('readings that never pause fill whole chunks in the end, and all of them are read', () => {
  const { chunks, counts } = openChunks();
  for (let minute = 0; minute < 3000; minute += 150) {
    chunks.add(series, minutes(minute, 150), { isUrgent: true });
  }
  expect(counts.all()).toEqual([1024, 1024, 52, 150, 150, 150, 150, 150, 150]);

  const found: number[] = [];
  for (const { atUs, count } of chunks.read(series, 0, Number.MAX_SAFE_INTEGER)) {
    found.push(...atUs.subarray(0, count));
  }
  expect(found).toEqual([...minutes(0, 3000).atUs]);
});

it('short chunks of a busy time are joined and compressed by the next readings of an idle one', () => {
  const { chunks, counts, bytes } = openChunks();
  chunks.add(series, minutes(0, 200), { isUrgent: true });
  chunks.add(series, minutes(200, 200), { isUrgent: true });
  expect(counts.all()).toEqual([200, 200]);
  const plainBytes = bytes.get() ?? 0;

  chunks.add(series, minutes(400, 1));
  expect(counts.all()).toEqual([401]);
  expect(bytes.get()).toBeLessThan(0.8 * plainBytes);
});

it('a late reading of a short chunk joins it, and the next ones follow', () => {
  const { chunks, counts } = openChunks();
  chunks.add(series, minutes(0, 200), { isUrgent: true });
  chunks.add(series, minutes(201, 200), { isUrgent: true });
  chunks.add(series, minutes(200, 1));
  chunks.add(series, minutes(401, 700), { isUrgent: true });
  expect(counts.all()).toEqual([1024, 77]);
});

it('a day of few readings is not decoded for sums that it will not have', () => {
  const { connection, chunks } = openChunks();
  chunks.add(series, minutes(0, 2000));
  connection.exec("update chunks set body = x'00'");
  expect(chunks.sumUpDays(1e6)).toBe(false);
  expect(connection.prepare('select count(*) from day_sums').pluck().get()).toBe(0);
});
