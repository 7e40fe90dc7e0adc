import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { aggregates } from '../../../../src/core/port/readings.ts';
import type { Store } from '../../../../src/core/port/store.ts';
import { client } from '../../../store/conformance/readings/readings.ts';
import { Cli } from '../../harness.ts';

const hourUs = 3_600_000_000;

it('a backup carries retention and the sums that it has left, which count a repeated reading no second time', async () => {
  const cli = await new Cli().seed();
  await cli.ok('import sensors - --entity BER', {
    input: 'id,code,name,is_active\n1,OVEN-1,Oven,true\n',
  });
  await cli.ok('tenants set --retain-readings 30d');
  const entities = (await cli.ok('entities list --json')).json<{ id: string; code: string }[]>();
  const entityId = entities.find(({ code }) => code === 'BER')?.id ?? '';
  const inStore = async <T>(work: (store: Store, series: number) => Promise<T>): Promise<T> => {
    const store = await (await cli.services.engine(cli.store)).open();
    try {
      return await work(store, (await store.readings.directory(entityId)).get('1')?.series ?? 0);
    } finally {
      await store.close();
    }
  };
  const append = (store: Store, series: number, atUs: number) =>
    store.readings.append({ count: 1, rows: Float64Array.of(series, atUs, atUs / hourUs, 0) });
  const buckets = async (store: Store, series: number) => {
    const request = {
      series,
      limit: 100,
      format: 'csv',
      buckets: { widthUs: hourUs, aggregates },
    } as const;
    return Buffer.from((await store.readings.text(request, client())).text).toString();
  };
  const kept = await inStore(async (store, series) => {
    for (let n = 0; n < 20; n++) await append(store, series, n * (hourUs / 4));
    await store.readings.drop({ entityId, untilUs: 3 * hourUs });
    return buckets(store, series);
  });
  const file = join(dirname(dirname(cli.store)), 'plant.backup');
  await cli.ok(['backup', file]);
  await cli.ok('tenants set --retain-readings forever');
  await inStore(async (store, series) =>
    store.readings.erase({ series, fromUs: 0, toUs: 100 * hourUs }),
  );
  expect(await inStore(buckets)).toBe('');
  await cli.ok(['restore', file, '--yes']);
  expect((await cli.ok('tenants list --json')).json()).toMatchObject([
    { retain_readings_days: 30 },
  ]);
  expect(await inStore(buckets)).toBe(kept);
  expect(kept.split('\n')).toHaveLength(6);
  await inStore((store, series) => append(store, series, 0));
  expect(await inStore(buckets)).toBe(kept);
});
