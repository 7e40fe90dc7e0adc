import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BucketSpan, ReadingTextRequest } from '../../../../src/core/port/readings.ts';
import type { Store } from '../../../../src/core/port/store.ts';
import { bucketTime } from '../../../../src/core/readings/reads/bucket-spans.ts';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import { propertyRuns } from '../../../properties.ts';
import type { Given } from '../given.ts';
import { importInto } from '../records/stored-records.ts';
import { batchOf, client, grownBy, type Row, sensorRows, seriesOf } from './readings.ts';

const minuteUs = 60_000_000;
const hourUs = 60 * minuteUs;
const startUs = Date.UTC(2026, 0, 30) * 1000;

const narrowSpans: readonly BucketSpan[] = [{ widthUs: 10 * minuteUs }];
/** Zones whose midnights are on the hours by which readings are summed up when they are dropped. */
const wideSpans: readonly BucketSpan[] = [
  { widthUs: hourUs },
  { days: 1, firstDay: 0, timezone: 'America/Chicago' },
  { months: 1, timezone: 'Europe/Berlin' },
];

interface Grown {
  at: string;
  first: number;
  increase: number;
}

/** Values of which every sum is exact, at minutes of three days. */
const readings = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 4320 }), fc.integer({ min: 0, max: 400 })), {
    minLength: 1,
    maxLength: 60,
    selector: ([minute]) => minute,
  })
  .map((drawn) => drawn.sort(([a], [b]) => a - b));

/** What a counter has grown by in buckets, compared with a plain sum over all readings. */
export function counterConformance(given: Given): void {
  it('buckets say what a counter grew by, over resets, pages and dropped readings', async () => {
    const { store, plant } = await given();
    let sensorCount = 0;
    const property = fc.asyncProperty(
      readings,
      fc.integer({ min: 0, max: 72 }),
      fc.integer({ min: 0, max: 72 }),
      fc.integer({ min: 1, max: 5 }),
      async (drawn, fromHour, dropHour, limit) => {
        sensorCount++;
        await importInto(store, plant, sensors, sensorRows(sensorCount));
        const series = await seriesOf(store, plant, `S-${sensorCount}`);
        const rows = drawn.map(
          ([minute, value]): Row => [series, startUs + minute * minuteUs, value / 4],
        );
        await store.readings.append(batchOf(rows));

        const fromUs = startUs + fromHour * hourUs;
        for (const span of [...narrowSpans, ...wideSpans]) {
          expect(await grown(store, { series, limit }, span)).toEqual(plainly(rows, span));
          const later = await grown(store, { series, fromUs, limit }, span);
          expect(later).toEqual(plainly(rows, span, fromUs));
        }

        const untilUs = startUs + dropHour * hourUs;
        const entityId = plant.entity.id;
        for (let position: number | null | undefined; position !== null; ) {
          position = (await store.readings.drop({ entityId, untilUs, position })).next;
        }
        for (const span of wideSpans) {
          const after = await grown(store, { series, fromUs, limit }, span);
          expect(after).toEqual(plainly(rows, span, fromUs));
        }
        // Narrower buckets leave out what was dropped, and yet begin with its last value.
        for (const span of narrowSpans) {
          const after = await grown(store, { series, fromUs, limit }, span);
          expect(after).toEqual(plainly(rows, span, Math.max(fromUs, untilUs)));
        }
      },
    );
    await fc.assert(property, propertyRuns(12));
  });
}

/** The buckets of a range, page by page. */
async function grown(
  store: Store,
  { limit, ...range }: Pick<ReadingTextRequest, 'series' | 'fromUs' | 'limit'>,
  span: BucketSpan,
): Promise<Grown[]> {
  const buckets = { ...span, aggregates: ['first', 'increase'] as const };
  const pages: Grown[][] = [];
  for (let fromUs: number | null | undefined = range.fromUs; fromUs !== null; ) {
    const request: ReadingTextRequest = { ...range, fromUs, limit, format: 'json', buckets };
    const { text, nextUs } = await store.readings.text(request, client());
    pages.push(JSON.parse(`[${Buffer.from(text).toString()}]`));
    fromUs = nextUs;
  }
  return pages.flat();
}

function plainly(rows: readonly Row[], span: BucketSpan, fromUs = startUs): Grown[] {
  const buckets = new Map<number, Grown>();
  let previous: number | undefined;
  for (const [, atUs, value] of rows) {
    const increase = grownBy(previous, value);
    previous = value;
    if (atUs < fromUs) continue;

    const { startUs: bucketUs } = bucketTime(span, atUs);
    const at = new Date(bucketUs / 1000).toISOString().replace('Z', '000Z');
    const bucket = buckets.get(bucketUs) ?? { at, first: value, increase: 0 };
    bucket.increase += increase;
    buckets.set(bucketUs, bucket);
  }
  return [...buckets.values()];
}
