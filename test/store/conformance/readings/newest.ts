import { expect, it } from 'vitest';
import type { BucketSpan } from '../../../../src/core/port/readings.ts';
import { readPage, type TimeRange } from '../../../../src/core/readings/pages.ts';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import type { Given } from '../given.ts';
import { importInto } from '../records/stored-records.ts';
import { batchOf, client, type Row, sensorRows, seriesOf, startUs } from './readings.ts';

const hourUs = 3_600_000_000;
const spans: readonly (BucketSpan | undefined)[] = [
  undefined,
  { widthUs: 7_000_000 },
  { widthUs: hourUs },
  { days: 1, firstDay: 0, timezone: 'Asia/Kathmandu' },
];

/** How every engine reads the newest rows, and rows from the newest on. */
export function newestConformance(given: Given): void {
  it('reads the newest rows, and backward in pages, as it reads them forward', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(1));
    const series = await seriesOf(store, plant, 'S-1');
    // With gaps, and in an order in which late ones come last.
    const rows = Array.from({ length: 3000 }, (_, n): Row => {
      return [series, startUs + n * 1_500_000 + Math.floor(n / 700) * 9 * hourUs, n / 8, n % 4];
    });
    const late = rows.filter((_, n) => n % 3 === 0);
    await store.readings.append(batchOf(rows.filter((_, n) => n % 3 > 0)));
    await store.readings.append(batchOf(late));
    const read = async (request: object) => {
      const lines: string[] = [];
      let range: TimeRange | null = {};
      for (let pages = 0; range !== null; pages++) {
        const page = await readPage(
          store.readings,
          {
            ...{ series, limit: 100_000, format: 'ndjson', last: undefined, ...request, ...range },
            ...(pages > 0 && { last: undefined }),
          },
          client(),
        );
        const text = Buffer.from(page.text).toString().trimEnd();
        if (text !== '') lines.push(...text.split('\n'));
        range = page.rest;
      }
      return lines;
    };
    const compare = async () => {
      for (const span of spans) {
        const buckets = span && { ...span, aggregates: ['avg', 'count', 'last'] as const };
        const [fromUs, toUs] = [rows[10]?.[1], rows[2900]?.[1]];
        for (const range of [{}, { fromUs, toUs }]) {
          const all = await read({ buckets, ...range });
          const limit = Math.ceil(all.length / 3);
          const reversed = all.toReversed();
          expect(await read({ buckets, ...range, isNewestFirst: true })).toEqual(reversed);
          expect(await read({ buckets, ...range, isNewestFirst: true, limit })).toEqual(reversed);
          for (const last of [1, 2, 600, all.length, all.length + 1]) {
            const newest = all.slice(-last);
            expect(await read({ buckets, ...range, last })).toEqual(newest);
            expect(await read({ buckets, ...range, last, limit })).toEqual(newest);
            expect(await read({ buckets, ...range, last, isNewestFirst: true, limit })).toEqual(
              newest.toReversed(),
            );
          }
        }
      }
    };
    await compare();
    // Also if sums take the place of some.
    const untilUs = Math.floor((startUs + 12 * hourUs) / hourUs) * hourUs;
    const request = { entityId: plant.entity.id, timezone: 'Asia/Kathmandu', untilUs };
    for (let position: number | null | undefined; position !== null; )
      position = (await store.readings.drop({ ...request, position })).next;
    await compare();
    const none = { series, fromUs: startUs - 2, toUs: startUs - 1, rows: 5 };
    expect(await store.readings.newest(none, client())).toBeNull();
  });
}
