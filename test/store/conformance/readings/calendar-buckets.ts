import { expect, it } from 'vitest';
import {
  aggregates,
  type BucketSpan,
  type ReadingRange,
} from '../../../../src/core/port/readings.ts';
import type { Store } from '../../../../src/core/port/store.ts';
import { parseBucket } from '../../../../src/core/readings/reads/bucket-spans.ts';
import { type WeekDay, weekDays } from '../../../../src/core/time/calendar.ts';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import type { Given } from '../given.ts';
import { importInto } from '../records/stored-records.ts';
import { batchOf, grownBy, type Row, sensorRows, seriesOf, textOf } from './readings.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const hourUs = 3_600_000_000;

/** Zones, each with a day near which its clock changes, or near which it does not. */
const places = [
  ['Europe/Berlin', '2026-03-29'],
  ['America/St_Johns', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Pacific/Apia', '2011-12-30'],
] as const;

/** Those that only the long suite tries. */
export const furtherPlaces = [
  ['Europe/Berlin', '2026-10-25'],
  ['Europe/Berlin', '2026-12-31'],
  ['Asia/Kathmandu', '2026-12-31'],
  ['America/St_Johns', '2026-03-08'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['America/Sao_Paulo', '2018-11-04'],
] as const;

/** The days on which weeks begin. */
const firstDays = ['monday', 'sunday', 'wednesday'] as const;

interface Bucket {
  at: string;
  count: number;
  min: number;
  max: number;
  first: number;
  last: number;
  increase: number;
}

/** How every engine divides readings into days and weeks of a zone, compared with a plain computation from all readings. */
export function calendarConformance(
  given: Given,
  tried: readonly (readonly [timezone: string, day: string])[] = places,
): void {
  it.each(tried)(
    'hours, days, weeks, months and years of %s around %s are exact, and what a counter grows by in them',
    async (timezone, day) => {
      const { store, plant } = await given();
      await importInto(store, plant, sensors, sensorRows(1));
      const series = await seriesOf(store, plant, 'S-1');
      const firstMs = Date.parse(day) - 10 * dayMs;
      const rows = Array.from({ length: 2000 }, (_, n): Row => {
        // About every 14 minutes, never at the same second of an hour.
        return [series, firstMs * 1000 + n * (14 * 60_000_000 + 7_123_457), ((n * 37) % 101) / 4];
      });
      await store.readings.append(batchOf(rows));
      const calendar = createCalendar(timezone, firstMs - 370 * dayMs, firstMs + 40 * dayMs);
      const [, fromUs = 0] = rows[333] ?? [];
      const [, , valueBefore] = rows[332] ?? [];
      const check = async () => {
        for (const length of ['1d', '2d', '3d', '1w', '2w', '1h', '24h', '1mo', '3mo', '1y']) {
          const weekStarts = length.endsWith('w') ? firstDays : (['monday'] as const);
          for (const weekStart of weekStarts) {
            const span = parseBucket(length, { timezone, weekStart });
            if (!span) throw new Error(`no length of buckets: ${length}`);
            const startOf = (us: number) => calendar.startOf(us / 1000, length, weekStart);
            const expected = plainly(rows, startOf);
            expect([length, weekStart, await bucketsOf(store, { series }, span)]).toEqual([
              length,
              weekStart,
              expected,
            ]);
          }
        }
      };
      await check();
      const span = parseBucket('1d', { timezone, weekStart: 'monday' });
      if (!span) throw new Error('no day');
      const later = rows.filter(([, atUs]) => atUs >= fromUs);
      const startOf = (us: number) => calendar.startOf(us / 1000, '1d', 'monday');
      expect(await bucketsOf(store, { series, fromUs }, span)).toEqual(
        plainly(later, startOf, valueBefore),
      );

      // Summaries of dropped readings divide the hours in which days begin.
      for (const untilUs of [firstMs * 1000 + 100 * hourUs, firstMs * 1000 + 290 * hourUs]) {
        const entityId = plant.entity.id;
        for (let position: number | null | undefined; position !== null; )
          position = (await store.readings.drop({ entityId, untilUs, position })).next;
        await check();
      }
    },
  );
}

/** What a read in buckets of a span answers, without the means. */
async function bucketsOf(
  store: Store,
  range: Omit<ReadingRange, 'limit'>,
  span: BucketSpan,
): Promise<Bucket[]> {
  const buckets = { ...span, aggregates: aggregates.filter((name) => name !== 'avg') };
  const text = await textOf(store, { ...range, limit: 100_000, format: 'json', buckets });
  return JSON.parse(`[${text}]`);
}

/** The buckets of readings in order of time, by where the bucket of each one starts (epoch ms). */
function plainly(
  rows: readonly Row[],
  startOf: (us: number) => number,
  valueBefore?: number,
): Bucket[] {
  const buckets = new Map<number, { values: number[]; increase: number }>();
  let previous = valueBefore;
  for (const [, atUs, value] of rows) {
    const start = startOf(atUs);
    const bucket = buckets.get(start) ?? { values: [], increase: 0 };
    bucket.values.push(value);
    bucket.increase += grownBy(previous, value);
    buckets.set(start, bucket);
    previous = value;
  }
  return [...buckets].map(([start, { values, increase }]) => ({
    at: new Date(start).toISOString().replace('Z', '000Z'),
    min: Math.min(...values),
    max: Math.max(...values),
    first: values[0] ?? 0,
    last: values.at(-1) ?? 0,
    count: values.length,
    increase,
  }));
}

/** The local dates of a zone by what Intl says for each quarter of an hour. */
function createCalendar(timezone: string, fromMs: number, toMs: number) {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
  const starts = new Map<string, number>();
  const dates = new Map<number, string>();
  // The date of a zone changes at a quarter of an hour only.
  const dateAt = (ms: number) => {
    const quarter = Math.floor(ms / (15 * minuteMs));
    const known = dates.get(quarter);
    if (known !== undefined) return known;

    const date = format.format(quarter * 15 * minuteMs);
    dates.set(quarter, date);
    return date;
  };
  for (let ms = fromMs; ms < toMs; ms += 15 * minuteMs) {
    const date = dateAt(ms);
    if (!starts.has(date)) starts.set(date, ms);
  }
  const startOfDate = (date: string) => {
    // A date that the zone has skipped begins with the next one.
    const next = new Date(Date.parse(date) + dayMs).toISOString().slice(0, 10);
    const start = starts.get(date) ?? starts.get(next);
    if (start === undefined) throw new Error(`no start of ${date}`);
    return start;
  };
  return {
    startOf(ms: number, length: string, weekStart: WeekDay): number {
      const number = Number.parseInt(length, 10);
      if (length.endsWith('h')) return ms - (ms % (number * 60 * minuteMs));
      const date = dateAt(ms);
      if (length.endsWith('y')) return startOfDate(`${date.slice(0, 4)}-01-01`);
      if (length.endsWith('mo')) {
        const month = Number(date.slice(5, 7)) - 1;
        const firstMonth = month - (month % number) + 1;
        return startOfDate(`${date.slice(0, 5)}${String(firstMonth).padStart(2, '0')}-01`);
      }
      const day = Date.parse(date) / dayMs;
      if (length.endsWith('d')) return startOfDate(dateOf(day - (day % number)));
      const back = (new Date(day * dayMs).getUTCDay() - weekDays.indexOf(weekStart) + 7) % 7;
      // The week with 1970-01-01, a Thursday, has number 0.
      const first = day - back;
      const origin = -((4 - weekDays.indexOf(weekStart) + 7) % 7);
      const weeks = (first - origin) / 7;
      return startOfDate(dateOf(first - 7 * (weeks % number)));
    },
  };
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
