import { expect, it } from 'vitest';
import type { Aggregate, ReadingBucket, ReadingRange } from '../../../../src/core/port/readings.ts';
import type { Store } from '../../../../src/core/port/store.ts';
import { instantUs } from '../../../../src/core/readings/instants.ts';
import { formatInstantUs } from '../../../../src/core/time/instants.ts';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import type { Given } from '../given.ts';
import { importInto } from '../records/stored-records.ts';
import { batchOf, client, type Row, sensorRows, seriesOf, startUs, textOf } from './readings.ts';

/** How every engine reads readings as text and in buckets. */
export function readConformance(given: Given): void {
  it('sums readings up in buckets that start at multiples of their width, also before 1970', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(1));
    const series = await seriesOf(store, plant, 'S-1');
    const at: Row[] = [
      [series, -1, 8],
      [series, 0, 1],
      [series, 9, 3],
      [series, 10, 5],
      [series, 35, 7],
    ];
    await store.readings.append(batchOf(at));
    const aggregates = ['avg', 'min', 'max', 'last', 'count'] as const;
    const buckets = (request: object) =>
      bucketsOf(store, { series, limit: 100, bucketUs: 10, aggregates, ...request });
    expect(await buckets({})).toEqual([
      { atUs: -10, avg: 8, min: 8, max: 8, last: 8, count: 1 },
      { atUs: 0, avg: 2, min: 1, max: 3, last: 3, count: 2 },
      { atUs: 10, avg: 5, min: 5, max: 5, last: 5, count: 1 },
      { atUs: 30, avg: 7, min: 7, max: 7, last: 7, count: 1 },
    ]);
    expect(await buckets({ aggregates: ['count'], fromUs: 0, limit: 2 })).toEqual([
      { atUs: 0, count: 2 },
      { atUs: 10, count: 1 },
    ]);
    expect(await buckets({ fromUs: 5, toUs: 10 })).toEqual([
      { atUs: 0, avg: 3, min: 3, max: 3, last: 3, count: 1 },
    ]);
  });

  it.each([1, 2, 3, 4, 5, 7, 8, 9, 100])(
    'sums up several series one after the other, %d rows of them in all',
    async (limit) => {
      const { store, plant } = await given();
      await importInto(store, plant, sensors, sensorRows(4));
      const numbers = await Promise.all(
        ['S-1', 'S-2', 'S-3', 'S-4'].map((id) => seriesOf(store, plant, id)),
      );
      // The third one has no readings.
      const counts = [4, 3, 0, 2];
      const rows = numbers.flatMap((series, place) =>
        Array.from({ length: counts[place] ?? 0 }, (_, n): Row => [series, n * 10, place + n]),
      );
      await store.readings.append(batchOf(rows));
      const buckets = { widthUs: 10, aggregates: ['avg', 'count'] as const };
      const requestOf = (series: number) => ({ series, limit, format: 'csv' as const, buckets });

      const expected: unknown[] = [];
      let left = limit;
      for (const series of numbers) {
        if (left === 0) break;
        const page = await store.readings.text({ ...requestOf(series), limit: left }, client());
        expected.push([Buffer.from(page.text).toString(), page.count, page.nextUs, page.digest]);
        left -= page.count;
      }
      const charged: number[] = [];
      const together = await store.readings.texts(numbers.map(requestOf), {
        ...client(),
        charge: (cost) => void charged.push(cost),
      });
      expect(
        together.map(({ text, count, nextUs, digest }) => [
          Buffer.from(text).toString(),
          count,
          nextUs,
          digest,
        ]),
      ).toEqual(expected);
      expect(charged[0]).toBe(0);
      expect(charged.length).toBeGreaterThan(1);
    },
  );

  it('writes as many readings as are asked for, the same whether at once or in small pages', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(2));
    const series = await seriesOf(store, plant, 'S-1');
    const rows = Array.from(
      { length: 12_345 },
      (_, n): Row => [series, startUs + n * 1001, Math.sin(n) * n, n % 4],
    );
    rows.push([await seriesOf(store, plant, 'S-2'), startUs, 1]);
    for (let at = 0; at < rows.length; at += 5000)
      await store.readings.append(batchOf(rows.slice(at, at + 5000)));
    for (const format of ['json', 'ndjson', 'csv'] as const) {
      const parts: string[] = [];
      for (let fromUs: number | null | undefined; fromUs !== null; ) {
        const page = await store.readings.text({ series, format, limit: 500, fromUs }, client());
        parts.push(Buffer.from(page.text).toString());
        fromUs = page.nextUs;
      }
      expect(await textOf(store, { series, format, limit: 100_000 })).toBe(
        parts.join(format === 'json' ? ',' : ''),
      );
      expect(
        await textOf(store, {
          series,
          format,
          limit: 100_000,
          fromUs: startUs + 1,
          toUs: startUs + 1,
        }),
      ).toBe('');
    }
    const csv = await textOf(store, { series, format: 'csv', limit: 100_000 });
    const kept = await store.readings.range({ series, limit: 100_000 });
    const lines = kept.map(
      ({ atUs, value, quality }) => `${formatInstantUs(atUs)},${value},${quality ?? ''}\n`,
    );
    expect(csv).toBe(lines.join(''));
  });

  it('reports what a text costs, where the next one starts, and names its content', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(1));
    const series = await seriesOf(store, plant, 'S-1');
    const rows = Array.from({ length: 10_000 }, (_, n): Row => [series, n, n]);
    await store.readings.append(batchOf(rows));
    for (const limit of [10, 10_000]) {
      const by = client();
      const { count, nextUs } = await store.readings.text({ series, format: 'csv', limit }, by);
      expect([count, nextUs]).toEqual([limit, limit < 10_000 ? limit : null]);
      expect(by.charged.reduce((sum, one) => sum + one, 0)).toBe(limit);
    }
    const read = (fromUs: number, limit = 6000) =>
      store.readings.text({ series, format: 'csv', fromUs, limit }, client());
    const digests = (await Promise.all([read(0), read(1), read(0, 6001), read(0)])).map(
      ({ digest }) => digest,
    );
    expect(new Set(digests).size).toBe(3);
    expect(digests[3]).toBe(digests[0]);
  });

  it('does not read for a client that is gone, and goes on for others', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(1));
    const series = await seriesOf(store, plant, 'S-1');
    await store.readings.append(
      batchOf(Array.from({ length: 10_000 }, (_, n): Row => [series, n, n])),
    );
    const request = { series, format: 'csv', limit: 10_000 } as const;
    const gone = new AbortController();
    const leaving = client('a', gone.signal);
    const left = expect(store.readings.text(request, leaving)).rejects.toThrow('gone');
    const whole = store.readings.text(request, client('b'));
    gone.abort(new Error('gone'));
    await left;
    expect((await whole).count).toBe(10_000);
    const cannotPay = {
      ...client('c'),
      charge: () => {
        throw new Error('nothing left');
      },
    };
    // It may answer at once, and then throws at once.
    await expect((async () => store.readings.text(request, cannotPay))()).rejects.toThrow(
      'nothing left',
    );
    expect((await store.readings.text(request, client('c'))).count).toBe(10_000);
  });

  it('gives the mean of values whose sum no double holds', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(1));
    const series = await seriesOf(store, plant, 'S-1');
    const huge = Number.MAX_VALUE;
    const values = [huge, huge, huge, 0.5 * huge, 1, 1, -huge, huge, huge, -huge, -huge, -huge];
    await store.readings.append(batchOf(values.map((value, at): Row => [series, at, value])));
    const means = async (bucketUs: number, range: object = {}) => {
      const found = await bucketsOf(store, {
        series,
        limit: 100,
        bucketUs,
        aggregates: ['avg'],
        ...range,
      });
      return found.map(({ avg }) => avg);
    };
    expect(await means(2)).toEqual([huge, 0.75 * huge, 1, 0, 0, -huge]);
    const [part = 0] = await means(6, { fromUs: 1, toUs: 4 });
    expect(part / huge).toBeCloseTo(2.5 / 3, 12);
    const [whole = 0] = await means(6, { toUs: 6 });
    expect(whole / huge).toBeCloseTo(3.5 / 6, 12);
  });

  it('takes ranges beyond all that can be kept for open ones', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(1));
    const series = await seriesOf(store, plant, 'S-1');
    await store.readings.append(batchOf([[series, 5, 1]]));
    const [fromUs, toUs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    expect(await store.readings.range({ series, fromUs, toUs, limit: 10 })).toHaveLength(1);
    expect(await store.readings.range({ series, fromUs: toUs, toUs, limit: 10 })).toEqual([]);
    const request = { series, limit: 10, bucketUs: 10, aggregates: ['count'] as const };
    expect(await bucketsOf(store, { ...request, fromUs, toUs })).toEqual([{ atUs: 0, count: 1 }]);
  });
}

async function bucketsOf(
  store: Store,
  {
    bucketUs,
    aggregates,
    ...range
  }: ReadingRange & { bucketUs: number; aggregates: readonly Aggregate[] },
): Promise<ReadingBucket[]> {
  const text = await textOf(store, {
    ...range,
    format: 'json',
    buckets: { widthUs: bucketUs, aggregates },
  });
  return JSON.parse(`[${text}]`).map(({ at, ...rest }: { at: string }) => ({
    atUs: instantUs(at),
    ...rest,
  }));
}
