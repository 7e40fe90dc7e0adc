import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { aggregates, type BucketSpan } from '../../../../../src/core/port/readings.ts';
import { bucketStart, bucketTime } from '../../../../../src/core/readings/reads/bucket-spans.ts';
import { dayUs, quarterUs } from '../../../../../src/core/readings/reads/quarters.ts';
import type { SliceRequest } from '../../../../../src/core/readings/reads/slices.ts';
import { formatInstantUs } from '../../../../../src/core/time/instants.ts';
import { createReader } from '../../../../../src/store/sqlite/readings/reader/reader.ts';
import { createDrop } from '../../../../../src/store/sqlite/readings/retention.ts';
import { StoredReadings } from '../../../../../src/store/sqlite/readings/stored.ts';
import { bufferedFor } from '../../../../../src/store/sqlite/readings/write-buffer/write-buffer.ts';
import {
  compactSeries,
  compactWhileIdle,
} from '../../../../../src/store/sqlite/readings/writer/compaction.ts';
import { propertyRuns } from '../../../../properties.ts';
import { client, grownBy } from '../../../conformance/readings/readings.ts';
import { readsBy, type Sent } from '../sent.ts';
import { emptyDatabase } from './model.ts';
import { Process } from './process.ts';

/** Two readings in most quarters of an hour. */
export const tickUs = 7 * 60_000_000;
export const startUs = Date.UTC(2026, 0, 5) * 1000;
export const ticks = Math.floor((4 * dayUs) / tickUs);
export const series = 1;

const tick = fc.integer({ min: 0, max: ticks });
const range = fc.tuple(tick, tick).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
const run = fc.tuple(tick, fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 3 }));
const process = fc.nat({ max: 1 });

/** What happens to readings of one series, in one of two processes. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), process, run }),
  fc.record({ kind: fc.constant('compact' as const), process }),
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
  { widthUs: quarterUs },
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
  const found = new Map<number, { values: number[]; increase: number }>();
  let previous: number | undefined;
  for (const [at, value] of [...readings].sort(([a], [b]) => a - b)) {
    if (at >= toUs) continue;
    const increase = grownBy(previous, value);
    previous = value;
    if (at < fromUs) continue;
    const { startUs: bucketUs } = bucketTime(span, at);
    const bucket = found.get(bucketUs) ?? { values: [], increase: 0 };
    bucket.values.push(value);
    bucket.increase += increase;
    found.set(bucketUs, bucket);
  }
  return [...found].map(([at, { values, increase }]) => {
    const extremes = [Math.min(...values), Math.max(...values)];
    const ends = [values[0], values.at(-1)];
    return [formatInstantUs(at), ...extremes, ...ends, values.length, increase].join(',');
  });
}

const withoutMean = (line: string) => line.split(',').toSpliced(1, 1).join(',');

/** Two processes on one store, and what it should hold. */
export function twoProcesses(file: string) {
  const processes = [0, 1].map(() => new Process(file, 'pragma synchronous = off'));
  const known = new Map<number, number>();
  let isDropped = false;
  const send = (one: Process, [first, count, distance]: readonly [number, number, number]) => {
    const sent = Array.from({ length: count }, (_, n): Sent => {
      const at = startUs + (first + n * distance) * tickUs;
      return [series, at, ((first * 31 + n * 17) % 1000) / 64 - 3];
    });
    one.perform({ kind: 'send', sent });
    for (const [, at, value] of sent) if (!known.has(at)) known.set(at, value);
  };
  const rest = ({ parts: { stored } }: Process) => {
    while (compactWhileIdle(stored));
  };
  /** Without summing up days afterwards. */
  const compactAlone = ({ parts: { stored } }: Process) => {
    stored.writing(() => {
      compactSeries(stored, 5000);
      stored.buffer.trim();
    });
  };
  const perform = (next: Happening) => {
    const one = processes[next.process];
    if (!one) return;
    if (next.kind === 'send') send(one, next.run);
    else if (next.kind === 'compact') compactAlone(one);
    else if (next.kind === 'rest') rest(one);
    else if (next.kind === 'erase') {
      const [fromUs = 0, toUs = 0] = next.range.map((of) => startUs + of * tickUs);
      one.perform({ kind: 'erase', series, fromUs, toUs });
      for (const at of known.keys()) if (at >= fromUs && at < toUs) known.delete(at);
    } else if (next.kind === 'drop') {
      const { connection, stored } = one.parts;
      const untilUs = bucketStart(startUs + next.tick * tickUs, quarterUs);
      createDrop(connection, stored)({ entityId: 'E', untilUs });
      isDropped = true;
    } else one.perform(next);
  };
  const compare = async (range: { fromUs: number; toUs: number }) => {
    for (const { parts } of processes) {
      const { connection, stored } = parts;
      const withoutSums = async (seen: Parameters<typeof textOf>[1]) => {
        connection.exec('begin immediate; delete from day_sums where dropped_us is null');
        const plain = createReader(connection, new StoredReadings(connection));
        try {
          return await textOf(plain.slice, seen);
        } finally {
          connection.exec('rollback');
        }
      };
      const ofThread = createReader(connection, new StoredReadings(connection));
      const ofDaemon = (request: SliceRequest) =>
        ofThread.slice(
          request,
          stored.reading(() => bufferedFor.slice(stored.buffer.memory, request)),
        );
      for (const span of spans) {
        const seen = { span, ...range };
        const expected = await withoutSums(seen);
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

/** Checks that each bucket of two processes holds what a map holds, and has the mean of all its readings, whatever they do. */
export async function checkDaySums(numRuns: number): Promise<void> {
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
  await fc.assert(property, propertyRuns(numRuns));
}
