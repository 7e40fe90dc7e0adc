import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { aggregates, type BucketSpan, summaryWidthUs } from '../../../../src/core/port/readings.ts';
import { createColumns } from '../../../../src/core/readings/columns.ts';
import { bucketStart, bucketTime } from '../../../../src/core/readings/reads/bucket-spans.ts';
import { dayUs, quarterUs } from '../../../../src/core/readings/reads/quarters.ts';
import type { SliceRequest } from '../../../../src/core/readings/reads/slice-request.ts';
import { formatInstantUs } from '../../../../src/core/time/instants.ts';
import { loggedFor } from '../../../../src/store/sqlite/readings/log/logged.ts';
import { createReader } from '../../../../src/store/sqlite/readings/reader/reader.ts';
import { createDrop } from '../../../../src/store/sqlite/readings/retention.ts';
import { StoredReadings } from '../../../../src/store/sqlite/readings/stored.ts';
import { settle, settleIdle } from '../../../../src/store/sqlite/readings/writer/settling.ts';
import { Chunks } from '../../../../src/store/sqlite-file/chunks/chunks.ts';
import { openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import { makeTables } from '../../../../src/store/sqlite-file/schema/migrated-schema.ts';
import {
  applyMigrations,
  firstWithDaySums,
} from '../../../../src/store/sqlite-file/schema/schema-versions.ts';
import { propertyRuns } from '../../../properties.ts';
import { client } from '../../conformance/readings/readings.ts';
import { emptyDatabase } from './model/model.ts';
import { Process } from './model/process.ts';
import { readingsInMemory, readsBy, type Sent } from './sent.ts';

/** Two readings in most quarters of an hour. */
const tickUs = 7 * 60_000_000;
const startUs = Date.UTC(2026, 0, 5) * 1000;
const ticks = Math.floor((4 * dayUs) / tickUs);
const series = 1;

const tick = fc.integer({ min: 0, max: ticks });
const range = fc.tuple(tick, tick).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
const run = fc.tuple(tick, fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 3 }));
const process = fc.nat({ max: 1 });

/** What happens to readings of one series, in one of two processes. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), process, run }),
  fc.record({ kind: fc.constant('settle' as const), process }),
  fc.record({
    kind: fc.constant('sum' as const),
    process,
    readings: fc.constantFrom(1, 2100),
    fails: fc.constantFrom(false, false, false, true),
  }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rest' as const), process }) },
  fc.record({ kind: fc.constant('erase' as const), process, range }),
  fc.record({ kind: fc.constant('drop' as const), process, tick }),
);

type Happening = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const spans: readonly BucketSpan[] = [
  { widthUs: 3_600_000_000 },
  { days: 1, firstDay: 0, timezone: 'Asia/Kathmandu' },
];

async function textOf(
  slice: ReturnType<typeof createReader>['slice'],
  { span, fromUs, toUs }: { span: BucketSpan; fromUs: number; toUs: number },
): Promise<string> {
  const reads = readsBy(async (request) => slice({ ...request, most: 40 }));
  const buckets = { ...span, aggregates };
  const request = { series, fromUs, toUs, limit: 1000, format: 'csv' as const, buckets };
  const { text } = await reads.read(request, client('E'));
  return Buffer.from(text).toString();
}

/** The buckets of readings in a map, without their means. */
function bucketsOf(
  readings: ReadonlyMap<number, number>,
  { span, fromUs, toUs }: { span: BucketSpan; fromUs: number; toUs: number },
): string[] {
  const found = new Map<number, number[]>();
  for (const [at, value] of [...readings].sort(([a], [b]) => a - b)) {
    if (at < fromUs || at >= toUs) continue;
    const { startUs: bucketUs } = bucketTime(span, at);
    found.set(bucketUs, [...(found.get(bucketUs) ?? []), value]);
  }
  return [...found].map(([at, values]) =>
    [formatInstantUs(at), Math.min(...values), Math.max(...values), values.at(-1), values.length]
      .map(String)
      .join(','),
  );
}

const withoutMean = (line: string) => line.split(',').toSpliced(1, 1).join(',');

/** Two processes on one store, and what it should hold. */
function twoProcesses(file: string) {
  const processes = [0, 1].map(() => new Process(file, 'pragma synchronous = off'));
  const known = new Map<number, number>();
  let isDropped = false;
  const send = (one: Process, [first, count, distance]: readonly [number, number, number]) => {
    const sent = Array.from({ length: count }, (_, n): Sent => {
      const at = startUs + (first + n * distance) * tickUs;
      return [series, at, ((first * 31 + n * 17) % 1000) / 100 - 3];
    });
    one.perform({ kind: 'send', sent });
    for (const [, at, value] of sent) if (!known.has(at)) known.set(at, value);
  };
  const rest = ({ parts: { stored } }: Process) => {
    while (settleIdle(stored));
  };
  /** Without summing up days afterwards. */
  const settleAlone = ({ parts: { stored } }: Process) => {
    stored.writing(() => {
      settle(stored, 5000);
      stored.log.trim();
    });
  };
  const perform = (next: Happening) => {
    const one = processes[next.process];
    if (!one) return;
    if (next.kind === 'send') send(one, next.run);
    else if (next.kind === 'settle') settleAlone(one);
    else if (next.kind === 'rest') rest(one);
    else if (next.kind === 'erase') {
      const [fromUs = 0, toUs = 0] = next.range.map((of) => startUs + of * tickUs);
      one.perform({ kind: 'erase', series, fromUs, toUs });
      for (const at of known.keys()) if (at >= fromUs && at < toUs) known.delete(at);
    } else if (next.kind === 'drop') {
      const { connection, stored } = one.parts;
      const untilUs = bucketStart(startUs + next.tick * tickUs, summaryWidthUs);
      createDrop(connection, stored)({ entityId: 'E', timezone: 'UTC', untilUs });
      isDropped = true;
    } else one.perform(next);
  };
  const compare = async (range: { fromUs: number; toUs: number }) => {
    for (const { parts } of processes) {
      const { connection, stored } = parts;
      const plain = createReader(connection, new StoredReadings(connection, { hasDaySums: false }));
      const ofThread = createReader(connection, new StoredReadings(connection));
      const ofDaemon = (request: SliceRequest) =>
        ofThread.slice(
          request,
          stored.reading(() => loggedFor.slice(stored.log.memory, request)),
        );
      for (const span of spans) {
        const seen = { span, ...range };
        const expected = await textOf(plain.slice, seen);
        expect(await textOf(createReader(connection, stored).slice, seen)).toBe(expected);
        expect(await textOf(ofDaemon, seen)).toBe(expected);
        if (isDropped) continue;
        const lines = expected.split('\n').slice(0, -1);
        expect(lines.map(withoutMean)).toEqual(bucketsOf(known, seen));
      }
    }
  };
  const close = () => {
    for (const each of processes) each.close();
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  };
  return { perform, compare, close };
}

it('each bucket of two processes holds what a map holds, and has the mean of all its readings', async () => {
  const { folder, empty } = emptyDatabase();
  let runs = 0;
  const steps = fc.array(fc.tuple(step, range), { minLength: 1, maxLength: 8 });
  const property = fc.asyncProperty(steps, async (all) => {
    const file = join(folder, `${runs++}.db`);
    copyFileSync(empty, file);
    const { perform, compare, close } = twoProcesses(file);
    try {
      perform({ kind: 'send', process: 0, run: [0, ticks, 1] });
      perform({ kind: 'rest', process: 0 });
      for (const [next, [from, to]] of all) {
        perform(next);
        await compare({ fromUs: startUs + from * tickUs, toUs: startUs + to * tickUs + 1 });
      }
      await compare({ fromUs: startUs, toUs: startUs + 2 * ticks * tickUs });
    } finally {
      close();
    }
  });
  await fc.assert(property, propertyRuns(60));
});

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
  perform({ kind: 'settle', process: 0 });
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
        const { memory } = stored.log;
        for (const [number, logged] of memory.first ? [memory.first] : [])
          stored.chunks.add(number, logged.range(-1e18, 1e18, 1e6));
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
  makeTables(connection, 'readings', firstWithDaySums - 1, 'migrations');
  const chunks = new Chunks(connection, { hasDaySums: false });
  const columns = createColumns(9000);
  columns.count = 9000;
  for (let n = 0; n < columns.count; n++) columns.atUs[n] = startUs + n * 20_000_000;
  chunks.add(series, columns);
  connection.pragma(`user_version = ${firstWithDaySums - 1}`);
  applyMigrations(connection, 'readings', 'migrations', ':memory:');
  const days = connection.prepare('select day_us, length(body) > 0 from day_sums').raw();
  const expected = [0, 1].map((day) => [startUs + day * dayUs, null]);
  expect(days.all()).toEqual(expected);
  while (new Chunks(connection).sumUpDays(100_000));
  expect(days.all()).toEqual(expected.map(([day]) => [day, 1]));
});

it('midnight of each zone of this Node begins a quarter of an hour', () => {
  for (const timezone of Intl.supportedValuesOf('timeZone')) {
    for (let year = 1980; year < 2040; year++) {
      for (const month of [0, 3, 6, 10]) {
        const { startUs: midnightUs } = bucketTime(
          { days: 1, firstDay: 0, timezone },
          Date.UTC(year, month, 2) * 1000,
        );
        expect(midnightUs % quarterUs, `${timezone} ${year}`).toBe(0);
      }
    }
  }
});
