import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReadingText, ReadingTextRequest } from '../../../../src/core/port/readings.ts';
import { Reads, readLimits } from '../../../../src/core/readings/reads/reads.ts';
import type { Slice, SliceRequest } from '../../../../src/core/readings/reads/slices.ts';
import { createReader, type Reader } from '../../../../src/store/sqlite/readings/reader/reader.ts';
import { StoredReadings } from '../../../../src/store/sqlite/readings/stored.ts';
import type { Connection } from '../../../../src/store/sqlite-file/driver.ts';
import { client } from '../../conformance/readings/readings.ts';
import { fillSeries } from './filled.ts';
import { readerOfDaemon } from './model/reads.ts';
import { readingsInMemory, readsBy } from './sent.ts';

/** Series 1 to 3 have a reading a second each; 4 has more than many slices sum up. */
const count = 12_000;
const long = 1_500_000;

let connection: Connection;
let readSlice: (request: SliceRequest) => Slice;
let daemon: Reader;
beforeAll(() => {
  const memory = readingsInMemory();
  connection = memory.connection;
  const fill = (series: number, rows: number) =>
    fillSeries(connection, series, rows, (i) => [i * 1e6, i * 0.1]);
  for (const series of [1, 2, 3]) fill(series, count);
  fill(4, long);
  // In the write buffer alone.
  for (const series of [6, 7])
    memory.send(Array.from({ length: 150 }, (_, i) => [series, (count + i) * 1e6, i] as const));
  readSlice = createReader(connection, memory.stored).slice;
  daemon = readerOfDaemon(createReader(connection, new StoredReadings(connection)), memory.stored);
});
afterAll(() => connection.close());

/** Reads whose slices wait until the test lets them go on; `order` names the series of each slice in order. */
function steppedReads() {
  const order: number[] = [];
  const gates: (() => void)[] = [];
  const reads = readsBy(async (request) => {
    order.push(request.series);
    await new Promise<void>((resolve) => gates.push(resolve));
    return readSlice(request);
  });
  const step = async () => {
    gates.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { reads, order, step, waiting: () => gates.length };
}

function readsAtOnce(): { reads: Reads; scanned: () => number } {
  let scanned = 0;
  const reads = readsBy(async (request) => {
    const slice = readSlice(request);
    scanned += slice.scanned;
    return slice;
  });
  return { reads, scanned: () => scanned };
}

const all = (series: number): ReadingTextRequest => ({ series, limit: 100_000, format: 'csv' });
const slicesOfAll = Math.ceil(count / readLimits.written);

describe('aggregates of several series', () => {
  const requestOf = (series: number): ReadingTextRequest => ({
    ...{ series, limit: 350, format: 'json', toUs: (count + 100) * 1e6 },
    buckets: { widthUs: 100e6, aggregates: ['avg', 'max', 'count'] },
  });
  const requests = [5, 6, 1, 7, 3, 4].map(requestOf);
  const shown = ({ text, ...page }: ReadingText) => ({
    ...page,
    text: Buffer.from(text).toString(),
  });

  it.each([97, 100, 101, 5000, 30_000, 200_000])(
    'are those of one after the other, in steps of %d readings',
    async (summedUp) => {
      let messages = 0;
      const slices = async (some: readonly SliceRequest[]) => {
        messages++;
        const read = daemon.slices(some);
        const scanned = read.reduce((sum, slice) => sum + slice.scanned, 0);
        expect(scanned).toBeLessThanOrEqual(summedUp + read.length);
        return read;
      };
      const backward = () => Promise.reject(new Error('nothing is looked up'));
      const sizes = { written: 1, summedUp };
      const reads = new Reads({ slice: async (one) => daemon.slice(one), slices, backward }, sizes);
      const expected: unknown[] = [];
      let left = 350;
      for (const request of requests) {
        if (left === 0) break;
        const page = await reads.read({ ...request, limit: left }, client('a'));
        expected.push(shown(page));
        left -= page.count;
      }
      const together = await reads.texts(requests, client('a'));
      expect(left).toBe(0);
      expect(together.map(shown)).toMatchObject(
        expected.map((page) => ({ ...(page as object), digest: expect.any(String) })),
      );
      expect(messages).toBeLessThanOrEqual(3 + Math.ceil((4 * count) / summedUp) * 2);
    },
  );
});

describe('reads of several owners', () => {
  it('go on slice by slice, round-robin; those of one owner one after the other', async () => {
    const { reads, order, step, waiting } = steppedReads();
    const ended: string[] = [];
    const read = (series: number, owner: string) =>
      reads.read(all(series), client(owner)).then(() => ended.push(`${owner}${series}`));
    const together = [read(1, 'a'), read(2, 'a'), read(3, 'b')];
    while (waiting() > 0) await step();
    await Promise.all(together);
    expect(slicesOfAll).toBe(3);
    expect(order).toEqual([1, 3, 1, 3, 1, 3, 2, 2, 2]);
    expect(ended).toEqual(['a1', 'b3', 'a2']);
  });

  it('are refused by owner: too many of one keep no other from coming', async () => {
    const { reads, step, waiting } = steppedReads();
    const [many, other] = [client('many'), client('other')];
    // The first is under way and does not wait.
    const taken = Array.from({ length: readLimits.waiting + 1 }, () =>
      reads.read({ ...all(1), limit: 1 }, many),
    );
    await expect(reads.read(all(1), many)).rejects.toMatchObject({ code: 'too_many_requests' });
    const theirs = reads.read({ ...all(2), limit: 1 }, other);
    // The one under way and one more of that owner, then this one.
    for (let slices = 0; slices < 3; slices++) await step();
    expect((await theirs).count).toBe(1);
    while (waiting() > 0) await step();
    expect(await Promise.all(taken)).toHaveLength(readLimits.waiting + 1);
  });
});

describe('a read whose client went away', () => {
  it('is not begun where it waits, and ends with its slice where it is under way', async () => {
    const { reads, order, step, waiting } = steppedReads();
    const [first, second] = [new AbortController(), new AbortController()];
    const underWay = expect(reads.read(all(1), client('a', first.signal))).rejects.toThrow(
      'gone, too',
    );
    const later = expect(reads.read(all(2), client('a', second.signal))).rejects.toThrow('gone');
    second.abort(new Error('gone'));
    await later;
    first.abort(new Error('gone, too'));
    await step();
    await underWay;
    expect([order, waiting()]).toEqual([[1], 0]);
    await expect(reads.read(all(3), client('a', first.signal))).rejects.toThrow('gone, too');
    const next = reads.read({ ...all(3), limit: 1 }, client('a'));
    await step();
    expect((await next).count).toBe(1);
  });
});

describe('what a read costs', () => {
  it('is charged before anything is read, and after each slice', async () => {
    const by = client();
    await readsAtOnce().reads.read(all(1), by);
    expect(by.charged).toEqual([
      0,
      readLimits.written,
      readLimits.written,
      count - 2 * readLimits.written,
    ]);
  });

  it('ends it where the client cannot pay: before it is begun nothing is read', async () => {
    const { reads, scanned } = readsAtOnce();
    const charge = (readings: number) => {
      if (readings === 0) throw new Error('no more');
    };
    await expect(reads.read(all(1), { owner: 'a', charge })).rejects.toThrow('no more');
    expect(scanned()).toBe(0);
    expect((await reads.read(all(1), client())).count).toBe(count);
  });

  it('is that of the buckets asked for, not of years', async () => {
    const { reads, scanned } = readsAtOnce();
    const hour = { widthUs: 3600e6, aggregates: ['count'] as const };
    const { count: found, nextUs } = await reads.read(
      { series: 4, limit: 1, format: 'csv', buckets: hour },
      client(),
    );
    expect([found, nextUs, scanned()]).toEqual([1, 3600e6, 3601]);
  });
});

describe('a page of buckets', () => {
  const read = async (widthUs: number, fromUs?: number) => {
    const { reads, scanned } = readsAtOnce();
    const buckets = { widthUs, aggregates: ['avg', 'min', 'max', 'last', 'count'] as const };
    const text = await reads.read(
      { series: 4, fromUs, limit: 1000, format: 'ndjson', buckets },
      client(),
    );
    const rows = Buffer.from(text.text).toString().trimEnd().split('\n');
    return { rows: rows.map((row) => JSON.parse(row)), nextUs: text.nextUs, scanned: scanned() };
  };

  it('holds as many as are asked for, however many readings they hold', async () => {
    const { rows, nextUs } = await read(3600e6);
    expect(nextUs).toBeNull();
    expect(rows.map(({ count: of }) => of)).toEqual([
      ...Array.from({ length: Math.floor(long / 3600) }, () => 3600),
      long % 3600,
    ]);
    const sums = connection.prepare<unknown[], { avg: number; min: number; max: number }>(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${long - 1})
       select avg(i * 0.1) as avg, min(i * 0.1) as min, max(i * 0.1) as max from n group by i / 3600`,
    );
    expect(rows.map(({ avg, min, max }) => ({ avg, min, max }))).toEqual(sums.all());
    expect(rows.every(({ last, max }) => last === max)).toBe(true);
  });

  it('is written in many slices, even if each reading has a bucket of its own', async () => {
    const { reads, scanned } = readsAtOnce();
    let slices = 0;
    const charge = () => slices++;
    const buckets = { widthUs: 1e6, aggregates: ['count'] as const };
    const { count: found } = await reads.read(
      { series: 4, limit: 50_000, format: 'csv', buckets },
      { ...client(), charge },
    );
    expect([found, scanned()]).toEqual([50_000, 50_010]);
    expect(slices).toBe(11);
  });

  it('is charged a hundredth of the readings that it sums up', async () => {
    const { reads, scanned } = readsAtOnce();
    let charged = 0;
    const charge = (readings: number) => {
      charged += readings;
    };
    const buckets = { widthUs: 86_400e6, aggregates: ['count'] as const };
    await reads.read({ series: 4, limit: 100, format: 'csv', buckets }, { ...client(), charge });
    expect(charged).toBeCloseTo(scanned() / 100, 6);
  });

  it('holds at least one, however long', async () => {
    const { rows, nextUs } = await read(36_500 * 86_400e6);
    expect(nextUs).toBeNull();
    expect(rows).toMatchObject([{ count: long, min: 0, last: (long - 1) * 0.1 }]);
  });
});
