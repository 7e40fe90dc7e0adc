import { expect } from 'vitest';
import {
  type Aggregate,
  aggregates,
  qualities,
  summaryWidthUs,
} from '../../../../../src/core/port/readings.ts';
import { bucketStart } from '../../../../../src/core/readings/reads/bucket-spans.ts';
import type {
  Slice,
  TextSliceRequest,
} from '../../../../../src/core/readings/reads/slice-request.ts';
import { formatInstantUs } from '../../../../../src/core/time/instants.ts';
import {
  createReader,
  type Reader,
} from '../../../../../src/store/sqlite/readings/reader/reader.ts';
import { StoredReadings } from '../../../../../src/store/sqlite/readings/stored.ts';
import { bufferedFor } from '../../../../../src/store/sqlite/readings/write-buffer/buffered.ts';
import type { Connection } from '../../../../../src/store/sqlite-file/driver.ts';

/** A reading of a map: instant, value and quality. */
export type Row = [atUs: number, value: number, quality: number];

export interface Summary {
  count: number;
  firstUs: number;
  lastUs: number;
}

interface Expected {
  series: number;
  range: { fromUs: number; toUs: number };
  /** All of the series, in order of time. */
  rows: readonly Row[];
  /** By hour. */
  summaries: ReadonlyMap<number, Summary>;
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
  const { series, range, rows, summaries } = expected;
  const inRange = rows.filter(([at]) => at >= range.fromUs && at < range.toUs);
  const plain = new StoredReadings(connection, { hasDaySums: false });
  for (const [hours, most] of [
    [1, 1000],
    [24, 3],
  ] as const) {
    const span = { widthUs: hours * summaryWidthUs };
    const request = { series, ...range, format: 'csv' as const, limit: 1000, most };
    const text = (of: StoredReadings, names: readonly Aggregate[]) =>
      allOf(createReader(connection, of), { ...request, buckets: { ...span, aggregates: names } });
    expect(text(stored, aggregates)).toBe(text(plain, aggregates));
    if (summaries.size > 0) continue;
    expect(text(stored, ['min', 'max', 'last', 'count'])).toBe(bucketsOf(inRange, span));
  }
}

function compareRead(reader: Reader, expected: Expected): void {
  const { series, range, rows, summaries } = expected;
  const inRange = rows.filter(([at]) => at >= range.fromUs && at < range.toUs);
  for (const limit of [1, 7, 1000]) {
    const backward = { series, ...range, limit, beforeUs: range.toUs, firstHourUs: undefined };
    expect([...reader.newest(backward)]).toEqual(inRange.slice(-limit).map(([at]) => at));
  }
  const text = (request: Pick<TextSliceRequest, 'limit' | 'most' | 'buckets'>) =>
    allOf(reader, { series, ...range, format: 'csv', ...request });
  const lines = inRange.map(
    (row) => `${formatInstantUs(row[0])},${row[1]},${qualities[row[2] - 1] ?? ''}\n`,
  );
  expect(text({ limit: 1000, most: 3 })).toBe(lines.join(''));
  expect(text({ limit: 4, most: 4 })).toBe(lines.slice(0, 4).join(''));
  // Too narrow for summaries.
  const narrow = {
    widthUs: summaryWidthUs / 2,
    aggregates: ['min', 'max', 'last', 'count'] as const,
  };
  expect(text({ limit: 1000, most: 3, buckets: narrow })).toBe(bucketsOf(inRange, narrow));
  const wide = { widthUs: 2 * summaryWidthUs, aggregates: ['count'] as const };
  expect(text({ limit: 1000, most: 5, buckets: wide })).toBe(
    countsOf(inRange, summaries, range, wide.widthUs),
  );
  compareState(reader, expected);
}

function compareState(reader: Reader, { series, rows, summaries }: Expected): void {
  const newest = [...summaries.values()].reduce(
    (last, { lastUs }) => Math.max(last, lastUs),
    Number.NEGATIVE_INFINITY,
  );
  const [atUs = newest] = rows.at(-1) ?? [];
  const lastUs = Math.max(atUs, newest);
  const { reading } = reader.states([series]).get(series) ?? {};
  expect(reading?.atUs).toBe(Number.isFinite(lastUs) ? lastUs : undefined);
  if (atUs > newest) expect(reading?.value).toBe(rows.at(-1)?.[1]);
}

/** The text of all slices, each of which continues the one before. */
function allOf(reader: Reader, request: TextSliceRequest): string {
  const { fromUs: beganUs, limit } = request;
  let [text, count] = ['', 0];
  for (let next: Partial<TextSliceRequest> | undefined = {}; next; ) {
    const slice: Slice = reader.slice({ ...request, beganUs, ...next, limit: limit - count });
    text += Buffer.from(slice.text).toString();
    count += slice.count;
    const { nextUs, open, summarisedUs } = slice;
    next = nextUs === null || count >= limit ? undefined : { fromUs: nextUs, open, summarisedUs };
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

/** Summaries count if all of their readings lie in the range, and none of the readings that arrived after them. */
function countsOf(
  rows: readonly Row[],
  summaries: Expected['summaries'],
  { fromUs, toUs }: Expected['range'],
  widthUs: number,
): string {
  const hours = [...summaries].filter(([, one]) => one.firstUs >= fromUs && one.lastUs < toUs);
  const counts = new Map<number, number>();
  const add = (atUs: number, count: number) => {
    const startUs = bucketStart(atUs, widthUs);
    counts.set(startUs, (counts.get(startUs) ?? 0) + count);
  };
  for (const [hourUs, { count }] of hours) add(hourUs, count);
  const counted = new Map(hours);
  for (const [atUs] of rows)
    if (!(atUs <= (counted.get(bucketStart(atUs, summaryWidthUs))?.lastUs ?? -Infinity)))
      add(atUs, 1);
  const inOrder = [...counts].sort(([a], [b]) => a - b);
  return inOrder.map(([startUs, count]) => `${formatInstantUs(startUs)},${count}\n`).join('');
}
