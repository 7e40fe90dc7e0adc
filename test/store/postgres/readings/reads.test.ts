import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import { batchOf, client, sensorRows, seriesOf } from '../../conformance/readings/readings.ts';
import { importInto } from '../../conformance/records/stored-records.ts';
import { plantIn } from '../../stores.ts';
import { newDatabase } from '../databases.ts';
import { opened, until } from '../opened.ts';

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

it.each([
  { what: 'in buckets', buckets: { widthUs: 700, aggregates: ['avg'] as const } },
  { what: 'as they are', buckets: undefined },
])(
  'the server reads each of many readings $what once, but those with which statements begin',
  async ({ buckets }) => {
    const address = await newDatabase('store');
    const store = await opened(address, false);
    const plant = await plantIn(store);
    await importInto(store, plant, sensors, sensorRows(1));
    const series = await seriesOf(store, plant, 'S-1');
    const count = 20_000;
    for (let from = 0; from < count; from += 5000) {
      const rows = Array.from({ length: 5000 }, (_, n) => [series, (from + n) * 10, n] as const);
      await store.readings.append(batchOf(rows));
    }

    const server = new Client({ connectionString: address });
    await server.connect();
    onTestFinished(() => server.end());
    const rowsRead = async () => {
      const { rows } = await server.query<{ n: number }>(
        "select sum(idx_tup_read)::int as n from pg_stat_user_indexes where relname = 'readings'",
      );
      return rows[0]?.n ?? 0;
    };
    const before = await rowsRead();
    await store.readings.text({ series, limit: count, format: 'csv', buckets }, client());
    // The server counts what a connection has read once this is idle.
    const read = await until(rowsRead, (n) => n >= before + count);
    expect(read - before).toBeLessThan(count + 10);
  },
);
