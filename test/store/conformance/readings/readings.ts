import { expect, it } from 'vitest';
import type {
  BatchResult,
  ReadingBatch,
  ReadingClient,
  ReadingTextRequest,
} from '../../../../src/core/port/readings.ts';
import type { Store } from '../../../../src/core/port/store.ts';
import { ReadingTrial } from '../../../../src/core/readings/imports.ts';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import { draftOf, type Plant } from '../../stores.ts';
import type { Given } from '../given.ts';
import { importInto } from '../records/stored-records.ts';

/** A reading as tests write it. */
export type Row = readonly [series: number, atUs: number, value: number, quality?: number];

/** A batch of readings. */
export function batchOf(rows: readonly Row[]): ReadingBatch {
  const numbers = rows.flatMap(([series, atUs, value, quality = 0]) => [
    series,
    atUs,
    value,
    quality,
  ]);
  return { count: rows.length, rows: Float64Array.from(numbers) };
}

/** A client that counts what it is charged. */
export function client(owner = 'one', signal?: AbortSignal): ReadingClient & { charged: number[] } {
  const charged: number[] = [];
  return { owner, signal, charged, charge: (readings) => charged.push(readings) };
}

/** What a text says, all of it. */
export async function textOf(
  store: Store,
  request: ReadingTextRequest,
  by = client(),
): Promise<string> {
  return Buffer.from((await store.readings.text(request, by)).text).toString();
}

/** The instant of a first reading. */
/** What a counter has grown by from one reading to the next. */
export function grownBy(previous: number | undefined, value: number): number {
  if (previous === undefined) return 0;
  return value < previous ? value : value - previous;
}

export const startUs = 1_763_626_500_123_456;

/** Sensors to import; the third one is inactive. */
export const sensorRows = (n: number) =>
  Array.from({ length: n }, (_, i) => ({
    id: `S-${i + 1}`,
    code: `OVEN-${i + 1}`,
    name: `Oven ${i + 1}`,
    unit: i === 0 ? 'Cel' : null,
    is_active: i !== 2,
    silent_after: i === 1 ? '15m' : null,
  }));

/** The series of a sensor; 0 for an unknown one. */
export const seriesOf = async (store: Store, { entity }: Plant, name: string) =>
  (await store.readings.directory(entity.id)).get(name)?.series ?? 0;

/** What every engine keeps of sensors, readings and heartbeats. */
export function readingConformance(given: Given): void {
  it('knows the sensors of an entity by code and by id', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(3));
    const directory = await store.readings.directory(plant.entity.id);
    expect(directory.get('OVEN-2')).toEqual({
      series: expect.any(Number),
      id: 'S-2',
      code: 'OVEN-2',
      unit: null,
      isActive: true,
      silentAfter: '15m',
    });
    expect(directory.get('S-2')).toEqual(directory.get('OVEN-2'));
    expect(directory.get('S-3')).toMatchObject({ isActive: false });
    expect(new Set([...directory.values()].map(({ series }) => series)).size).toBe(3);
    expect((await store.readings.directory('none')).size).toBe(0);
  });

  it('names sensors in the order of their ids, in which they are exported, whenever they were imported', async () => {
    const { store, plant } = await given();
    for (const row of sensorRows(3).reverse()) await importInto(store, plant, sensors, [row]);
    const directory = await store.readings.directory(plant.entity.id);
    expect([...directory.values()].map(({ id }) => id).slice(0, 3)).toEqual(['S-1', 'S-2', 'S-3']);
  });

  it('follows the sensors at once, and keeps their numbers', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(2));
    const before = await seriesOf(store, plant, 'S-1');
    await importInto(store, plant, sensors, [{ ...sensorRows(1)[0], code: 'RENAMED' }], {
      replace: true,
    });
    const directory = await store.readings.directory(plant.entity.id);
    expect(directory.get('RENAMED')?.series).toBe(before);
    expect(directory.has('OVEN-2')).toBe(false);
    await importInto(store, plant, sensors, sensorRows(3));
    expect(await seriesOf(store, plant, 'OVEN-1')).toBe(before);
  });

  it('keeps readings whole, to the microsecond, in order of time', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(2));
    const [a, b] = [await seriesOf(store, plant, 'S-1'), await seriesOf(store, plant, 'S-2')];
    const rows: Row[] = [
      [a, startUs + 1, 0.1 + 0.2, 1],
      [b, startUs, -1e300, 3],
      [a, startUs, 182.4],
      [a, startUs - 1, 5e-324, 2],
      [a, -1, 1],
    ];
    const result = await store.readings.append(batchOf(rows));
    expect(result).toEqual({ accepted: 5, duplicates: 0, conflicts: [] });
    const range = (request: object) => store.readings.range({ series: a, limit: 100, ...request });
    const all = [
      { atUs: -1, value: 1, quality: null },
      { atUs: startUs - 1, value: 5e-324, quality: 'uncertain' },
      { atUs: startUs, value: 182.4, quality: null },
      { atUs: startUs + 1, value: 0.1 + 0.2, quality: 'good' },
    ];
    expect(await range({})).toEqual(all);
    expect(await range({ fromUs: startUs, toUs: startUs + 1 })).toEqual(all.slice(2, 3));
    expect(await range({ limit: 2 })).toEqual(all.slice(0, 2));
    expect(await range({ series: b })).toEqual([{ atUs: startUs, value: -1e300, quality: 'bad' }]);
    expect(await range({ series: 999_999 })).toEqual([]);
  });

  it('distinguishes repeats from conflicts, wherever they stand, and keeps the first', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(1));
    const series = await seriesOf(store, plant, 'S-1');
    const first = Array.from({ length: 700 }, (_, n): Row => [series, startUs + n, n]);
    expect(await store.readings.append(batchOf(first))).toMatchObject({ accepted: 700 });
    const mixed = Array.from(
      { length: 1400 },
      (_, n): Row => [series, startUs + n, n % 100 === 7 ? -1 : n],
    );
    // And two inside the batch itself.
    mixed.push([series, startUs + 1399, 1399], [series, startUs + 1398, 0]);
    const conflicts = [7, 107, 207, 307, 407, 507, 607, 1401];
    expect(await store.readings.append(batchOf(mixed))).toEqual({
      accepted: 700,
      duplicates: 694,
      conflicts,
    });
    const kept = await store.readings.range({ series, limit: 2000 });
    expect(kept).toHaveLength(1400);
    expect(kept[7]?.value).toBe(7);
    expect(kept[707]?.value).toBe(-1);
    // A batch without repeats after one with them, and once more.
    const later = Array.from({ length: 300 }, (_, n): Row => [series, startUs + 5000 + n, n]);
    expect(await store.readings.append(batchOf(later))).toMatchObject({
      accepted: 300,
      duplicates: 0,
    });
    expect(await store.readings.append(batchOf(later))).toMatchObject({
      accepted: 0,
      duplicates: 300,
    });
    expect(await store.readings.append(batchOf([[series, startUs + 9000, 1]]))).toMatchObject({
      accepted: 1,
    });
  });

  it('counts in a trial what it would do with batches, and stores nothing', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(2));
    const [a, b] = [await seriesOf(store, plant, 'S-1'), await seriesOf(store, plant, 'S-2')];
    const row = (n: number, value = n): Row => [n % 3 === 0 ? b : a, startUs + n * 1000, value];
    const stored = Array.from({ length: 3000 }, (_, n) => row(2 * n));
    await store.readings.append(batchOf(stored));
    const rangeOf = (series: number) => store.readings.range({ series, limit: 10_000 });
    const before = [await rangeOf(a), await rangeOf(b)];
    const batches = [
      // Stored ones, conflicts with them, new ones, and repeats among those.
      Array.from({ length: 4000 }, (_, n) => row(n, n % 100 === 8 ? -1 : n)),
      Array.from({ length: 4000 }, (_, n) => row(n + 2000, n % 100 === 9 ? -2 : n + 2000)),
      [row(10_001), row(10_001), row(10_001, 5), row(-7), row(-7, 0)],
    ].map(batchOf);
    const trial = new ReadingTrial(store.readings);
    const counted: BatchResult[] = [];
    for (const batch of batches) counted.push(await trial.append(batch));
    expect([await rangeOf(a), await rangeOf(b)]).toEqual(before);
    for (const [place, batch] of batches.entries())
      expect(counted[place]).toEqual(await store.readings.append(batch));
    expect(counted.map(({ conflicts }) => conflicts.length)).toEqual([40, 20, 2]);
  });

  it('validates batches that are written together one by one', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(1));
    const series = await seriesOf(store, plant, 'S-1');
    const batches = [
      batchOf([[series, 1, 1]]),
      batchOf([
        [series, 2, 2],
        [series, 1, 1],
      ]),
      batchOf([
        [series, 3, 3],
        [series, 2, -2],
      ]),
      batchOf([]),
      batchOf([[series, 4, 4]]),
    ];
    const results = await Promise.all(batches.map((batch) => store.readings.append(batch)));
    expect(results).toEqual([
      { accepted: 1, duplicates: 0, conflicts: [] },
      { accepted: 1, duplicates: 1, conflicts: [] },
      { accepted: 1, duplicates: 0, conflicts: [1] },
      { accepted: 0, duplicates: 0, conflicts: [] },
      { accepted: 1, duplicates: 0, conflicts: [] },
    ]);
    expect((await store.readings.range({ series, limit: 10 })).map(({ value }) => value)).toEqual([
      1, 2, 3, 4,
    ]);
  });

  it('keeps heartbeats, and the last state of a sensor', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(2));
    const [a, b] = [await seriesOf(store, plant, 'S-1'), await seriesOf(store, plant, 'S-2')];
    const beat = {
      series: a,
      atUs: startUs,
      status: 'ok',
      battery: 81.5,
      signal: -60,
      firmware: '1.2',
    };
    const bare = {
      series: a,
      atUs: startUs + 1,
      status: null,
      battery: null,
      signal: null,
      firmware: null,
    };
    expect(await store.readings.appendHeartbeats([beat, bare])).toMatchObject({ accepted: 2 });
    const again = [
      bare,
      { ...beat, status: 'fault' },
      { ...beat, atUs: startUs - 9, status: 'degraded' },
    ];
    expect(await store.readings.appendHeartbeats(again)).toEqual({
      accepted: 1,
      duplicates: 1,
      conflicts: [1],
    });
    await store.readings.append(
      batchOf([
        [a, startUs + 5, 2],
        [a, startUs + 3, 1],
      ]),
    );
    const states = await store.readings.states([a, b]);
    expect(states.get(a)).toMatchObject({
      reading: { atUs: startUs + 5, value: 2 },
      heartbeat: { atUs: startUs + 1, status: null, battery: null },
    });
    expect(states.get(b)).toEqual({ reading: undefined, heartbeat: undefined });
    const newest = { ...bare, atUs: startUs + 2, battery: 12.5 };
    expect(await store.readings.appendHeartbeats([newest])).toMatchObject({ accepted: 1 });
    expect((await store.readings.states([a])).get(a)).toMatchObject({
      heartbeat: { atUs: startUs + 2, battery: 12.5 },
    });
  });

  it('loses sensors and readings with their entity', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(1));
    const series = await seriesOf(store, plant, 'S-1');
    const many = Array.from({ length: 45_000 }, (_, n): Row => [series, n, n]);
    await store.readings.append(batchOf(many));
    await store.readings.appendHeartbeats([
      { series, atUs: 1, status: 'ok', battery: null, signal: null, firmware: null },
    ]);
    await store.entities.remove(plant.entity.id, draftOf(plant.tenant.id, 'entity.remove', 'BER'));
    expect((await store.readings.directory(plant.entity.id)).size).toBe(0);
    expect(await store.readings.range({ series, limit: 10 })).toEqual([]);
    expect((await store.readings.states([series])).get(series)?.heartbeat).toBeUndefined();
  });
}
