import { expect } from 'vitest';
import { type Aggregate, aggregates, qualities } from '../../../../../src/core/port/readings.ts';
import { bucketStart } from '../../../../../src/core/readings/reads/bucket-spans.ts';
import { quarterUs } from '../../../../../src/core/readings/reads/quarters.ts';
import type { Slice, SliceRequest } from '../../../../../src/core/readings/reads/slices.ts';
import { formatInstantUs } from '../../../../../src/core/time/instants.ts';
import {
  createReader,
  type Reader,
} from '../../../../../src/store/sqlite/readings/reader/reader.ts';
import { StoredReadings } from '../../../../../src/store/sqlite/readings/stored.ts';
import { bufferedFor } from '../../../../../src/store/sqlite/readings/write-buffer/write-buffer.ts';
import type { Connection } from '../../../../../src/store/sqlite-file/driver.ts';

/** A reading of a map: instant, value and quality. */
export type Row = [atUs: number, value: number, quality: number];

interface Expected {
  series: number;
  range: { fromUs: number; toUs: number };
  /** All of the series, in order of time. */
  rows: readonly Row[];
  /** By quarter of an hour, how many readings it had when it was dropped. */
  dropped: ReadonlyMap<number, number>;
  lastDroppedUs: number;
}

/** Compares what a command and a daemon read of a series in many small slices with what should be there. */
export function compareReads(
  stored: StoredReadings,
  connection: Connection,
  expected: Expected,
): void {
  compareRead(createReader(connection, stored), expected);
  compareSums(stored, connection, expected);
  // A command reads the write buffer for this alone, and from its start.
  compareState(createReader(connection, new StoredReadings(connection)), expected);
  const ofThread = new StoredReadings(connection);
  compareRead(readerOfDaemon(createReader(connection, ofThread), stored), expected);
  expect(ofThread.buffer.memory.count).toBe(0);
}

/** A reader to which the thread that writes gives what it needs of the write buffer. */
export function readerOfDaemon(reader: Reader, stored: StoredReadings): Reader {
  return {
    slice: (request) =>
      reader.slice(
        request,
        stored.reading(() => bufferedFor.slice(stored.buffer.memory, request)),
      ),
    slices: (requests) =>
      reader.slices(
        requests,
        stored.reading(() => bufferedFor.slices(stored.buffer.memory, requests)),
      ),
    newest: (request) =>
      reader.newest(
        request,
        stored.reading(() => bufferedFor.newest(stored.buffer.memory, request)),
      ),
    states: (series) =>
      reader.states(
        series,
        stored.reading(() => bufferedFor.states(stored.buffer.memory, series)),
      ),
  };
}

/** Buckets that may come from the sums of days are those of all readings, to the last digit of their means. */
function compareSums(stored: StoredReadings, connection: Connection, expected: Expected): void {
  const { series, range, rows, dropped } = expected;
  if (dropped.size > 0) return;
  const inRange = rows.filter(([at]) => at >= range.fromUs && at < range.toUs);
  const plain = new StoredReadings(connection, { hasDaySums: false });
  for (const [quarters, most] of [
    [1, 1000],
    [4, 7],
    [96, 3],
  ] as const) {
    const span = { widthUs: quarters * quarterUs };
    const request = { series, ...range, format: 'csv' as const, limit: 1000, most };
    const text = (of: StoredReadings, names: readonly Aggregate[]) =>
      allOf(createReader(connection, of), { ...request, buckets: { ...span, aggregates: names } });
    expect(text(stored, aggregates)).toBe(text(plain, aggregates));
    expect(text(stored, ['min', 'max', 'last', 'count'])).toBe(bucketsOf(inRange, span));
  }
}

function compareRead(reader: Reader, expected: Expected): void {
  const { series, range, rows, dropped } = expected;
  const inRange = rows.filter(([at]) => at >= range.fromUs && at < range.toUs);
  for (const limit of [1, 7, 1000]) {
    const backward = { series, ...range, limit, beforeUs: range.toUs, isOfQuarters: false };
    expect([...reader.newest(backward)]).toEqual(inRange.slice(-limit).map(([at]) => at));
  }
  const text = (request: Pick<SliceRequest, 'limit' | 'most' | 'buckets'>) =>
    allOf(reader, { series, ...range, format: 'csv', ...request });
  const lines = inRange.map(
    (row) => `${formatInstantUs(row[0])},${row[1]},${qualities[row[2] - 1] ?? ''}\n`,
  );
  expect(text({ limit: 1000, most: 3 })).toBe(lines.join(''));
  expect(text({ limit: 4, most: 4 })).toBe(lines.slice(0, 4).join(''));
  // Too narrow for sums of quarters.
  const narrow = {
    widthUs: quarterUs / 2,
    aggregates: ['min', 'max', 'last', 'count'] as const,
  };
  expect(text({ limit: 1000, most: 3, buckets: narrow })).toBe(bucketsOf(inRange, narrow));
  for (const quarters of [1, 2]) {
    const wide = { widthUs: quarters * quarterUs, aggregates: ['count'] as const };
    expect(text({ limit: 1000, most: 5, buckets: wide })).toBe(
      countsOf(inRange, dropped, range, wide.widthUs),
    );
  }
  compareState(reader, expected);
}

function compareState(reader: Reader, { series, rows, dropped, lastDroppedUs }: Expected): void {
  const [lastUs = Number.NEGATIVE_INFINITY, lastValue] = rows.at(-1) ?? [];
  const newest = Math.max(...dropped.keys()) + quarterUs;
  const atUs = Math.max(lastUs, lastDroppedUs);
  const { reading } = reader.states([series]).get(series) ?? {};
  expect(reading?.atUs).toBe(Number.isFinite(atUs) ? atUs : undefined);
  if (lastUs > newest) expect(reading?.value).toBe(lastValue);
}

/** The text of all slices, each of which continues the one before. */
function allOf(reader: Reader, request: SliceRequest): string {
  const { fromUs: beganUs, limit } = request;
  let [text, count] = ['', 0];
  for (let next: Partial<SliceRequest> | undefined = {}; next; ) {
    const slice: Slice = reader.slice({ ...request, beganUs, ...next, limit: limit - count });
    text += Buffer.from(slice.text).toString();
    count += slice.count;
    const { nextUs, open } = slice;
    next = nextUs === null || count >= limit ? undefined : { fromUs: nextUs, open };
  }
  return text;
}

function bucketsOf(rows: readonly Row[], { widthUs }: { widthUs: number }): string {
  const starts = [...new Set(rows.map(([at]) => bucketStart(at, widthUs)))];
  const lines = starts.map((startUs) => {
    const values = rows
      .filter(([at]) => bucketStart(at, widthUs) === startUs)
      .map(([, value]) => value);
    const cells = [Math.min(...values), Math.max(...values), values.at(-1), values.length];
    return `${[formatInstantUs(startUs), ...cells].join(',')}\n`;
  });
  return lines.join('');
}

/** Dropped quarters count if they lie in the range as a whole, and none of the readings that arrived for them later. */
function countsOf(
  rows: readonly Row[],
  dropped: Expected['dropped'],
  { fromUs, toUs }: Expected['range'],
  widthUs: number,
): string {
  const inside = [...dropped].filter(([at]) => at >= fromUs && at + quarterUs <= toUs);
  const counts = new Map<number, number>();
  const add = (atUs: number, count: number) => {
    const startUs = bucketStart(atUs, widthUs);
    counts.set(startUs, (counts.get(startUs) ?? 0) + count);
  };
  for (const [startUs, count] of inside) add(startUs, count);
  const counted = new Set(inside.map(([startUs]) => startUs));
  for (const [atUs] of rows) if (!counted.has(bucketStart(atUs, quarterUs))) add(atUs, 1);
  const inOrder = [...counts].sort(([a], [b]) => a - b);
  return inOrder.map(([startUs, count]) => `${formatInstantUs(startUs)},${count}\n`).join('');
}
