import { expect, it } from 'vitest';
import type { StoredReading } from '../../../../src/core/port/readings.ts';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import type { Given } from '../given.ts';
import { importInto } from '../records/stored-records.ts';
import { batchOf, type Row, sensorRows, seriesOf, startUs } from './readings.ts';

/** How every engine follows what is stored. */
export function feedConformance(given: Given): void {
  it('tells each reading that is stored once, of any age, and none of before', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, sensors, sensorRows(2));
    const first = await seriesOf(store, plant, 'S-1');
    const other = await seriesOf(store, plant, 'S-2');
    const keep = (...rows: Row[]) => store.readings.append(batchOf(rows));
    await keep([first, startUs, 1], [other, startUs, 1]);
    const feed = await store.readings.follow([first]);
    const told: StoredReading[] = [];
    const toldAfter = async (...rows: Row[]) => {
      await keep(...rows);
      const before = told.length;
      await expect
        .poll(async () => {
          const part = await feed.next();
          expect(part.isComplete).toBe(true);
          told.push(...part.readings);
          return told.length;
        })
        .toBeGreaterThan(before);
      return told.slice(before);
    };
    const reading = (atUs: number, value: number, quality: string | null = null) => ({
      series: first,
      atUs,
      value,
      quality,
    });
    try {
      expect(await toldAfter([first, startUs + 5, 2.5, 3], [other, startUs + 5, 7])).toEqual([
        reading(startUs + 5, 2.5, 'bad'),
      ]);
      // A duplicate, a conflict, and one that is a year old.
      const yearUs = 365 * 86_400_000_000;
      const late = await toldAfter(
        [first, startUs + 5, 2.5],
        [first, startUs + 5, 3],
        [first, startUs - yearUs, -1e-7, 1],
      );
      expect(late).toEqual([reading(startUs - yearUs, -1e-7, 'good')]);
      // What a gateway had in its spool.
      const spool = Array.from({ length: 5000 }, (_, n): Row => [first, startUs - n - 1, n / 3]);
      await toldAfter(...spool);
      await expect
        .poll(async () => told.push(...(await feed.next()).readings))
        .toBe(2 + spool.length);
      expect(new Map(told.slice(2).map(({ atUs, value }) => [atUs, value]))).toEqual(
        new Map(spool.map(([, atUs, value]) => [atUs, value])),
      );
    } finally {
      await feed.close();
    }
    await keep([first, startUs + 9, 1]);
  });
}
