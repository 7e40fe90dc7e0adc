import { expect, it } from 'vitest';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import { batchOf, client, sensorRows, seriesOf } from '../../conformance/readings/readings.ts';
import { importInto } from '../../conformance/records/stored-records.ts';
import { plantIn } from '../../stores.ts';
import { newDatabase } from '../databases.ts';
import { opened } from '../opened.ts';

it('a request for several sensors is charged for all readings that it makes the server read', async () => {
  const store = await opened(await newDatabase('store'), false);
  const plant = await plantIn(store);
  await importInto(store, plant, sensors, sensorRows(4));
  const ids = ['S-1', 'S-2', 'S-3', 'S-4'];
  const numbers = await Promise.all(ids.map((id) => seriesOf(store, plant, id)));
  for (const series of numbers) {
    const rows = Array.from({ length: 5000 }, (_, n) => [series, n * 10, n] as const);
    await store.readings.append(batchOf(rows));
  }

  const by = client();
  const buckets = { widthUs: 10, aggregates: ['avg'] as const };
  const requests = numbers.map((series) => ({ series, limit: 1, format: 'csv' as const, buckets }));
  const [page] = await store.readings.texts(requests, by);
  expect(page?.count).toBe(1);
  const charged = by.charged.reduce((sum, cost) => sum + cost, 0);
  // A hundredth of a reading each: of the three sensors that the limit leaves out, too.
  expect(charged).toBeGreaterThan(150);
});
