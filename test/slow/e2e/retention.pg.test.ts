import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { until } from '../../e2e/program.ts';

/** PostgreSQL drops a tenth as many in the same time. */
const count = process.env.TEST_HKCTL_ENGINE === 'postgres' ? 60_000 : 400_000;
/** All of them are of one day, which is what a daemon drops at once. */
const startMs = Math.floor((Date.now() - 20 * 86_400_000) / 86_400_000) * 86_400_000;

let plant: Plant;
let daemon: Daemon;
beforeAll(async () => {
  plant = await Plant.open();
  await plant.importSensors([{ id: 'S', code: 'OVEN-3-T1', name: 'Oven', unit: null }]);
  daemon = await plant.serve();
});
afterAll(() => plant.close());

it('a daemon that is killed again and again while it drops readings counts each of them exactly once', async () => {
  const gateway = await plant.createKey('Gateway', 'sensor-gateway');
  const { secret } = await plant.createKey('Reader', 'operational-core');
  const api = () => daemon.api(secret);
  for (let from = 0; from < count; from += 10_000) {
    const readings = Array.from({ length: 10_000 }, (_, n) => ({
      sensor: 'OVEN-3-T1',
      at: startMs + (from + n) * 200,
      value: (from + n) % 977,
    }));
    const { data } = await daemon
      .api(gateway.secret)
      .POST('/api/v1/sensors/readings', { body: { readings } });
    expect(data).toEqual({ accepted: 10_000, duplicates: 0, rejected: [] });
  }
  const params = { path: { id: 'S' } };
  const hours = async () => {
    const query = {
      bucket: '1h',
      agg: ['count', 'min', 'max', 'last'] as ('count' | 'min' | 'max' | 'last')[],
    };
    const { data } = await api().GET('/api/v1/sensors/{id}/readings', {
      params: { ...params, query },
    });
    return data;
  };
  /** The instant of the oldest reading that is still there. */
  const oldest = async () => {
    const { data } = await api().GET('/api/v1/sensors/{id}/readings', {
      params: { ...params, query: { limit: 1 } },
    });
    const at = data?.data[0]?.at;
    return at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at);
  };
  const expected = await hours();
  expect(expected?.data).toHaveLength(Math.ceil(count / (3600 * 5)));

  await plant.ok(['tenants', 'set', '--retain-readings', '1d', '--yes']);
  for (let round = 0; round < 4; round++) {
    const before = await oldest();
    await until('some are dropped', async () => (await oldest()) > before, { everyMs: 5 });
    await daemon.kill9();
    daemon = await plant.serve();
    expect(await hours()).toEqual(expected);
    expect(await oldest()).toBeLessThan(startMs + count * 200);
  }
  await until('all is dropped', async () => (await oldest()) === Number.POSITIVE_INFINITY, {
    timeoutMs: 120_000,
    everyMs: 200,
  });
  expect(await hours()).toEqual(expected);
  const again = { sensor: 'OVEN-3-T1', at: startMs, value: 0 };
  const late = await daemon
    .api(gateway.secret)
    .POST('/api/v1/sensors/readings', { body: { readings: [again] } });
  expect(late.data).toMatchObject({
    accepted: 0,
    duplicates: 0,
    rejected: [{ index: 0, code: 'past_retention' }],
  });
  expect((await daemon.stop()).code).toBe(0);
});
