import { expect, it } from 'vitest';
import {
  type Aggregate,
  aggregates,
  type ReadingRange,
} from '../../../../src/core/port/readings.ts';
import type { Store } from '../../../../src/core/port/store.ts';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import { draftOf, type Plant, plantIn } from '../../stores.ts';
import type { Given } from '../given.ts';
import { importInto } from '../records/stored-records.ts';
import { batchOf, textOf } from './readings.ts';

const hourUs = 3_600_000_000;
const minuteUs = 60_000_000;
const quarterUs = 15 * minuteUs;
/** A whole hour, and a whole day. */
const startUs = Date.UTC(2026, 0, 5) * 1000;

/** What every engine does with readings that are dropped or erased. */
export function retentionConformance(given: Given): void {
  const sensorRows = ['S-1', 'S-2'].map((id) => ({
    id,
    code: `C-${id}`,
    name: id,
    is_active: true,
  }));

  async function plantWithReadings() {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows);
    const series = await seriesOf(store, plant, 'S-1');
    // Two days, one reading every seven minutes and a bit; values that no order of adding rounds alike.
    const rows = Array.from(
      { length: 400 },
      (_, n) => [series, startUs + n * (7 * minuteUs + 123_457), 0.1 * n - 7] as const,
    );
    await store.readings.append(batchOf(rows));
    return { store, plant, series, rows };
  }

  it('sums dropped readings up by quarters of an hour: buckets of them are the same before and after, across the border too', async () => {
    const { store, plant, series, rows } = await plantWithReadings();
    const widths = [0.25, 0.75, 1, 2, 24, 24 * 7].map((hours) => hours * hourUs);
    const before = await Promise.all(widths.map((widthUs) => buckets(store, { series }, widthUs)));
    const borderUs = startUs + 20 * hourUs;
    const dropped = await dropAll(store, plant, borderUs);
    expect(dropped).toBe(rows.filter(([, atUs]) => atUs < borderUs).length);
    expect(dropped).toBeGreaterThan(100);
    const after = await Promise.all(widths.map((widthUs) => buckets(store, { series }, widthUs)));
    expect(after).toEqual(before);
    // Narrower buckets and single readings are those that are still there.
    const kept = rows.filter(([, atUs]) => atUs >= borderUs);
    const range = await store.readings.range({ series, limit: 1000 });
    expect(range.map(({ atUs }) => atUs)).toEqual(kept.map(([, atUs]) => atUs));
    const [first] = await buckets(store, { series }, 10 * minuteUs);
    expect(first?.at).toBe(borderUs);
  });

  it('counts what a drop would take out, and knows the oldest, the latest drop and the latest dropped reading', async () => {
    const { store, plant, rows } = await plantWithReadings();
    const other = await plantIn(store, 'Beta');
    const count = (untilUs: number) => store.readings.countDroppable(plant.entity.id, untilUs);
    const state = ({ entity } = plant) => store.readings.retention(entity.id);
    const borderUs = startUs + 20 * hourUs;
    expect(await count(borderUs)).toBe(rows.filter(([, atUs]) => atUs < borderUs).length);
    expect(await count(startUs)).toBe(0);
    expect(await state()).toEqual({ oldestUs: startUs, untilUs: null, summarisedUs: null });
    expect(await store.readings.countDroppable(other.entity.id, borderUs)).toBe(0);
    expect(await state(other)).toEqual({ oldestUs: null, untilUs: null, summarisedUs: null });
    // Also readings whose sensor is no longer there.
    await importInto(store, plant, sensors, sensorRows.slice(1), { replace: true });
    expect(await dropAll(store, plant, startUs + hourUs)).toBeGreaterThan(0);
    const left = rows.filter(([, atUs]) => atUs >= startUs + hourUs && atUs < borderUs);
    expect(await count(borderUs)).toBe(left.length);
    const dropped = rows.filter(([, atUs]) => atUs < startUs + hourUs);
    const untilUs = startUs + hourUs;
    expect(await state()).toEqual({
      oldestUs: left[0]?.[1],
      untilUs,
      summarisedUs: dropped.at(-1)?.[1],
    });
  });

  it('counts a dropped quarter that lies in the range as a whole', async () => {
    const { store, plant, series } = await plantWithReadings();
    await dropAll(store, plant, startUs + 20 * hourUs);
    const fromUs = startUs + 2 * hourUs;
    const counted = async (from: number, to: number) =>
      (await buckets(store, { series, fromUs: from, toUs: to }, quarterUs)).length;
    expect(await counted(fromUs, fromUs + quarterUs)).toBe(1);
    expect(await counted(fromUs + 1, fromUs + quarterUs)).toBe(0);
    expect(await counted(fromUs, fromUs + quarterUs - 1)).toBe(0);
    expect(await counted(fromUs + 1, fromUs + hourUs - 1)).toBe(2);
    // The quarter at the border is whole: what is before it was dropped, what is after it is a reading.
    const [border] = await buckets(store, { series, fromUs: startUs + 20 * hourUs }, hourUs);
    expect(border?.at).toBe(startUs + 20 * hourUs);
  });

  it('drops in steps, each of which may be the last one before a crash; nothing is counted twice or not at all', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows);
    const [a, b] = [await seriesOf(store, plant, 'S-1'), await seriesOf(store, plant, 'S-2')];
    // Quarters of more readings than one step handles, and some after the border.
    const rows = Array.from({ length: 9000 }, (_, n) => [a, startUs + n * 400_000, n] as const);
    await store.readings.append(batchOf([...rows, [b, startUs + 5, 2]]));
    const expected = await buckets(store, { series: a }, hourUs);
    const borderUs = startUs + 3 * quarterUs;
    let steps = 0;
    for (let position: number | null | undefined; position !== null; steps++) {
      position = (
        await store.readings.drop({
          entityId: plant.entity.id,
          untilUs: borderUs,
          position,
        })
      ).next;
      expect(await buckets(store, { series: a }, hourUs)).toEqual(expected);
      // Another process begins anew at any time.
      if (steps === 1)
        await store.readings.drop({
          entityId: plant.entity.id,
          untilUs: borderUs,
        });
    }
    expect(steps).toBeGreaterThan(2);
    expect(await dropAll(store, plant, borderUs)).toBe(0);
    expect((await store.readings.range({ series: a, limit: 1 }))[0]?.atUs).toBe(borderUs);
    expect(await buckets(store, { series: b }, hourUs)).toMatchObject([{ count: 1, last: 2 }]);
    expect((await store.readings.states([b])).get(b)).toMatchObject({
      reading: { atUs: startUs + 5, value: 2 },
    });
  });

  it('accepts what arrives for a dropped quarter, and never counts it in addition to that', async () => {
    const { store, plant, series, rows } = await plantWithReadings();
    const widths = [1, 24].map((hours) => hours * hourUs);
    const before = await Promise.all(widths.map((widthUs) => buckets(store, { series }, widthUs)));
    const expectAsBefore = async () => {
      for (const [index, expected] of before.entries()) {
        expect(await buckets(store, { series }, widths[index] ?? 0)).toEqual(expected);
      }
    };
    const borderUs = startUs + 20 * hourUs;
    const dropped = await dropAll(store, plant, borderUs);
    const [repeated, other] = [rows[3], rows[5]];
    const last = rows.at(-1);
    if (!repeated || !other || !last) throw new Error('there are readings');
    const again = batchOf([repeated, [series, other[1], 99], last, [series, last[1], last[2] + 1]]);
    expect(await store.readings.append(again)).toEqual({
      accepted: 2,
      duplicates: 1,
      conflicts: [3],
    });
    expect(await store.readings.append(again)).toMatchObject({ accepted: 0, duplicates: 3 });
    await expectAsBefore();
    // A single reading is there again; the last one of the sensor is still the newest.
    expect(await store.readings.range({ series, toUs: borderUs, limit: 9 })).toMatchObject([
      { atUs: repeated[1], value: repeated[2] },
      { atUs: other[1], value: 99 },
    ]);
    expect((await store.readings.states([series])).get(series)).toMatchObject({
      reading: { atUs: last[1] },
    });
    expect(await dropAll(store, plant, borderUs)).toBe(2);
    await expectAsBefore();
    // All of them, as from a file.
    await store.readings.append(batchOf(rows.map((row) => [...row])));
    await expectAsBefore();
    expect(await dropAll(store, plant, startUs + 10 * hourUs)).toBeGreaterThan(0);
    await expectAsBefore();
    expect(await dropAll(store, plant, borderUs)).toBeLessThan(dropped);
    await expectAsBefore();
  });

  it('counts what arrives later for a quarter that had no readings when its day was dropped', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows);
    const series = await seriesOf(store, plant, 'S-1');
    await store.readings.append(
      batchOf([1, 2, 3].map((n) => [series, startUs + n * minuteUs, n] as const)),
    );
    await dropAll(store, plant, startUs + hourUs);
    await store.readings.append(batchOf([[series, startUs + 30 * minuteUs, 10]]));
    const ends = { first: 1, last: 10, increase: 9 };
    const expected = [{ at: startUs, count: 4, min: 1, max: 10, avg: 4, ...ends }];
    expect(await buckets(store, { series }, hourUs)).toEqual(expected);
    await dropAll(store, plant, startUs + hourUs);
    expect(await buckets(store, { series }, hourUs)).toEqual(expected);
  });

  it('names the last reading that was dropped where all others are older', async () => {
    const { store, plant, series, rows } = await plantWithReadings();
    await dropAll(store, plant, startUs + 1000 * hourUs);
    await store.readings.append(batchOf([[series, startUs - 1, 5]]));
    const last = rows.at(-1);
    expect((await store.readings.states([series])).get(series)).toMatchObject({
      reading: { atUs: last?.[1], value: last?.[2] },
    });
  });

  it('erases readings and sums of a range, and says of which quarter it would take a part only', async () => {
    const { store, plant, series, rows } = await plantWithReadings();
    const count = (fromUs: number, toUs: number) =>
      store.readings.countRange({ series, fromUs, toUs });
    const inRange = (fromUs: number, toUs: number) =>
      rows.filter(([, atUs]) => atUs >= fromUs && atUs < toUs).length;
    const [from, to] = [startUs + 30 * hourUs + 1, startUs + 31 * hourUs + 1];
    expect(await count(from, to)).toEqual({
      readings: inRange(from, to),
      summarised: 0,
      splitQuarterUs: null,
    });
    await store.readings.erase({ series, fromUs: from, toUs: to });
    expect(await count(from, to)).toEqual({ readings: 0, summarised: 0, splitQuarterUs: null });
    expect(await count(0, Number.MAX_SAFE_INTEGER)).toMatchObject({
      readings: rows.length - inRange(from, to),
    });
    await dropAll(store, plant, startUs + 20 * hourUs);
    const [first, last] = [startUs + 18 * hourUs, startUs + 22 * hourUs];
    const border = startUs + 20 * hourUs;
    expect(await count(first, last)).toEqual({
      readings: inRange(border, last),
      summarised: inRange(first, border),
      splitQuarterUs: null,
    });
    expect(await count(first + 20 * minuteUs, last)).toMatchObject({
      splitQuarterUs: first + quarterUs,
    });
    expect(await count(first, first + hourUs + 10 * minuteUs)).toMatchObject({
      splitQuarterUs: first + hourUs,
    });
    expect(await count(first + minuteUs, first + 2 * minuteUs)).toMatchObject({
      summarised: 0,
      splitQuarterUs: first,
    });
    expect(await count(first, first + quarterUs)).toMatchObject({ splitQuarterUs: null });
    await store.readings.erase({ series, fromUs: first, toUs: last });
    const hours = (await buckets(store, { series }, hourUs)).map(({ at }) => at);
    expect(hours.filter((at) => at >= first && at < last)).toEqual([]);
    expect(hours.filter((at) => at < first)).toHaveLength(18);
  });

  it('loses sums and border with the entity', async () => {
    const { store, plant, series } = await plantWithReadings();
    await dropAll(store, plant, startUs + 20 * hourUs);
    const everything = { series, fromUs: 0, toUs: Number.MAX_SAFE_INTEGER };
    expect((await store.readings.countRange(everything)).summarised).toBeGreaterThan(0);
    await store.entities.remove(plant.entity.id, draftOf(plant.tenant.id, 'entity.remove', 'BER'));
    expect(await store.readings.countRange(everything)).toEqual({
      readings: 0,
      summarised: 0,
      splitQuarterUs: null,
    });
    expect(await dropAll(store, plant, startUs)).toBe(0);
  });

  it('keeps the retention of a tenant, and changes it without the rest', async () => {
    const { store, plant } = await given();
    const { tenant } = plant;
    const draft = { tenantId: tenant.id, atMs: 1, action: 'tenant.set', actor: null } as const;
    const audit = { ...draft, osAccount: 'a', target: 'b', outcome: 'done', detail: {} } as const;
    expect(await store.tenants.find(tenant.id)).toMatchObject({ retainReadingsDays: null });
    await store.tenants.update(tenant.id, { retainReadingsDays: 400 }, audit);
    expect(await store.tenants.find(tenant.id)).toEqual({ ...tenant, retainReadingsDays: 400 });
    await store.tenants.update(tenant.id, { name: 'Other', longestLifetimeDays: 90 }, audit);
    await store.tenants.update(tenant.id, { retainReadingsDays: null }, audit);
    expect(await store.tenants.find(tenant.id)).toEqual({
      ...tenant,
      name: 'Other',
      longestLifetimeDays: 90,
    });
  });
}

interface Bucket extends Record<Aggregate, number> {
  /** Epoch µs. */
  at: number;
}

/** The buckets of a series with all their aggregates. */
async function buckets(
  store: Store,
  range: Omit<ReadingRange, 'limit'>,
  widthUs: number,
): Promise<Bucket[]> {
  const text = await textOf(store, {
    ...range,
    limit: 100_000,
    format: 'json',
    buckets: { widthUs, aggregates },
  });
  return JSON.parse(`[${text}]`).map(({ at, ...rest }: { at: string }) => ({
    ...rest,
    at: Date.parse(at) * 1000,
  }));
}

async function dropAll(store: Store, { entity }: Plant, untilUs: number): Promise<number> {
  let dropped = 0;
  for (let position: number | null | undefined; position !== null; ) {
    const step = await store.readings.drop({
      entityId: entity.id,
      untilUs,
      position,
    });
    dropped += step.readings;
    position = step.next;
  }
  return dropped;
}

async function seriesOf(store: Store, { entity }: Plant, name: string): Promise<number> {
  return (await store.readings.directory(entity.id)).get(name)?.series ?? 0;
}
