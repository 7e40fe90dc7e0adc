import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Aggregate } from '../../../../src/core/port/readings.ts';
import { bucketTime } from '../../../../src/core/readings/reads/bucket-spans.ts';
import { dayUs, quarterUs } from '../../../../src/core/readings/reads/quarters.ts';
import { createReadings } from '../../../../src/core/readings/series-readings.ts';
import { createReader } from '../../../../src/store/sqlite/readings/reader/reader.ts';
import { Chunks } from '../../../../src/store/sqlite-file/chunks/chunks.ts';
import { openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import {
  applyMigrations,
  makeTables,
} from '../../../../src/store/sqlite-file/schema/migrated-schema.ts';
import { initialVersions } from '../../../../src/store/sqlite-file/schema/schema-versions.ts';
import { series, startUs, ticks, tickUs, twoProcesses } from './model/day-sums.ts';
import { emptyDatabase } from './model/model.ts';
import { readingsInMemory, readingsOn, type Sent } from './sent.ts';

it.each([
  ['the same process', 0],
  ['another process', 1],
])('a day that %s changes while it is summed up is begun anew', async (_, other) => {
  const { folder, empty } = emptyDatabase();
  const file = join(folder, 'begun.db');
  copyFileSync(empty, file);
  const { perform, compare, close } = twoProcesses(file);
  onTestFinished(close);
  perform({ kind: 'send', process: 0, run: [0, ticks, 1] });
  perform({ kind: 'compact', process: 0 });
  perform({ kind: 'sum', process: 0, readings: 1, fails: false });
  perform({ kind: 'erase', process: other, range: [1, 4] });
  perform({ kind: 'rest', process: 0 });
  await compare({ fromUs: startUs, toUs: startUs + 2 * ticks * tickUs });
});

it('a year of one sensor is read from the sums of its days, and a late reading is in its bucket at once', () => {
  const { connection, stored, send } = readingsInMemory();
  onTestFinished(() => void connection.close());
  connection.exec("insert into series (series, entity_id, sensor_id) values (1, 'E', 'S')");
  const [days, perDay] = [5, 4000];
  const distanceUs = Math.floor(dayUs / perDay);
  for (let day = 0; day < days; day++) {
    send(
      Array.from(
        { length: perDay },
        (_, n): Sent => [1, startUs + day * dayUs + n * distanceUs, n],
      ),
    );
  }
  const idle = () => {
    for (let isMore = true; isMore; ) {
      isMore = stored.writing(() => {
        const { memory } = stored.buffer;
        for (const [number, buffered] of memory.first ? [memory.first] : [])
          stored.chunks.add(number, buffered.range(-1e18, 1e18, 1e6));
        memory.removeRange(1, -1e18, 1e18);
        return stored.chunks.sumUpDays(10_000);
      });
    }
  };
  idle();
  const read = () =>
    createReader(connection, stored).slice({
      series: 1,
      limit: 100,
      most: 1e6,
      format: 'csv',
      buckets: { days: 1, firstDay: 0, timezone: 'UTC', aggregates: ['count', 'max'] },
    });
  const rowsOf = (text: Uint8Array) =>
    Buffer.from(text)
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split(',').slice(1).join(' '));
  const before = read();
  expect(rowsOf(before.text)).toEqual(new Array(days).fill('4000 3999'));
  // The last day is not over.
  expect(before.scanned).toBe((days - 1) * 96 + perDay);

  const lateUs = startUs + dayUs + 1;
  send([[1, lateUs, 7777]]);
  expect(rowsOf(read().text)).toEqual([
    '4000 3999',
    '4001 7777',
    ...new Array(3).fill('4000 3999'),
  ]);
  idle();
  const after = read();
  expect(rowsOf(after.text)).toEqual(['4000 3999', '4001 7777', ...new Array(3).fill('4000 3999')]);
  expect(after.scanned).toBe(before.scanned);
});

it('a store of the version before has the sums of all its days made', () => {
  const connection = openDatabase(':memory:', {});
  onTestFinished(() => void connection.close());
  const { readings: version } = initialVersions;
  makeTables(connection, 'readings', version, 'migrations');
  const chunks = new Chunks(connection, { hasDaySums: false });
  const readings = createReadings(9000);
  readings.count = 9000;
  for (let n = 0; n < readings.count; n++) readings.atUs[n] = startUs + n * 20_000_000;
  chunks.add(series, readings);
  connection.pragma(`user_version = ${version}`);
  applyMigrations(connection, 'readings', 'migrations', ':memory:');
  const days = connection.prepare('select day_us, length(body) > 0 from day_sums').raw();
  const expected = [0, 1].map((day) => [startUs + day * dayUs, null]);
  expect(days.all()).toEqual(expected);
  while (new Chunks(connection).sumUpDays(100_000));
  expect(days.all()).toEqual(expected.map(([day]) => [day, 1]));
});

it('what version 0.2.0 has kept of dropped hours stays, and what is sent again for them does not count', () => {
  const connection = openDatabase(':memory:', {});
  onTestFinished(() => void connection.close());
  const { readings: version } = initialVersions;
  makeTables(connection, 'readings', version, 'migrations');
  connection.exec("insert into series (series, entity_id, sensor_id) values (1, 'E', 'S')");
  const addHour = connection.prepare(
    `insert into summaries
       (series, hour_us, count, min, max, mean, first, last, first_at_us, last_at_us)
     values (1, ?, 3, 3, 9, ?, ?, ?, ?, ?)`,
  );
  const hours = [
    [0, 3, 3, 9],
    [1, 6, 9, 4],
    // Of the next day of UTC.
    [24, 5, 1, 2],
  ] as const;
  for (const [hour, mean, first, last] of hours) {
    const hourUs = startUs + hour * 4 * quarterUs;
    addHour.run(hourUs, mean, first, last, hourUs, hourUs + 2 * quarterUs);
  }
  connection.pragma(`user_version = ${version}`);
  applyMigrations(connection, 'readings', 'migrations', ':memory:');

  const { stored, send } = readingsOn(connection);
  const rowsOf = (aggregates: readonly Aggregate[]) => {
    const { text } = createReader(connection, stored).slice({
      series: 1,
      limit: 10,
      most: 1000,
      format: 'ndjson',
      buckets: { widthUs: 4 * quarterUs, aggregates },
    });
    const rows = Buffer.from(text).toString().trim().split('\n');
    return rows.map((row) => JSON.parse(row));
  };
  const expected = [
    { avg: 3, first: 3, last: 9, count: 3, increase: 6 },
    // An hour that ends below its beginning has a reset.
    { avg: 6, first: 9, last: 4, count: 3, increase: 4 },
    { avg: 5, first: 1, last: 2, count: 3, increase: 2 },
  ];
  const all = ['avg', 'first', 'last', 'count', 'increase'] as const;
  expect(rowsOf(all)).toMatchObject(expected);
  expect(createReader(connection, stored).states([1]).get(1)).toMatchObject({
    reading: { atUs: startUs + (24 * 4 + 2) * quarterUs, value: 2 },
  });

  send([1, quarterUs + 1, 2 * quarterUs].map((us): Sent => [1, startUs + us, 100]));
  expect(rowsOf(all)).toMatchObject(expected);
  // The last quarter of an hour had no readings.
  send([[1, startUs + 3 * quarterUs, 9]]);
  expect(rowsOf(['count'])).toMatchObject([{ count: 4 }, { count: 3 }, { count: 3 }]);
});

it('midnight of each zone of this Node begins a quarter of an hour', () => {
  for (const timezone of Intl.supportedValuesOf('timeZone')) {
    for (let year = 1980; year < 2040; year++) {
      for (const month of [0, 6]) {
        const { startUs: midnightUs } = bucketTime(
          { days: 1, firstDay: 0, timezone },
          Date.UTC(year, month, 2) * 1000,
        );
        expect(midnightUs % quarterUs, `${timezone} ${year}`).toBe(0);
      }
    }
  }
});
