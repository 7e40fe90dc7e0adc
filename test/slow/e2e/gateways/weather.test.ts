import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readReadings } from '../../../e2e/client.ts';
import { type Daemon, Plant } from '../../../e2e/plant.ts';
import { createRandom } from '../../../e2e/random.ts';
import { createBreakingProxy } from './breaking-proxy.ts';
import { sendReadings } from './gateway.ts';
import { readWeather } from './weather.ts';

describe('a measured series over a network that breaks', () => {
  const stations = readWeather();
  const sensors = [...stations.values()].flatMap((station) => station.sensors);
  const readings = [...stations.values()].flatMap((station) => station.readings);
  let plant: Plant;

  beforeAll(async () => {
    plant = await Plant.open();
    await plant.importSensors(sensors);
  });
  afterAll(() => plant.close());

  it('comes back whole, each reading once, to the microsecond', async () => {
    const gateway = await plant.createKey('Weather gateway', 'sensor-gateway');
    const reader = await plant.createKey('Reader', 'operational-core');
    let daemon: Daemon = await plant.serve();
    const proxy = await createBreakingProxy(() => daemon.port, createRandom(20121231));

    // The daemon is killed where it stands as soon as a third has been answered, and started again.
    let restarted: Promise<void> | undefined;
    const restart = async () => {
      await daemon.kill9();
      daemon = await plant.serve();
    };
    const reports = await Promise.all(
      [...stations.values()].map((station) =>
        sendReadings(station.readings, {
          url: proxy.url,
          secret: gateway.secret,
          batchSize: 80,
          onAnswered: (answered) => {
            if (answered > station.readings.length / 3) restarted ??= restart();
          },
        }),
      ),
    );
    await restarted;
    const sum = (pick: (report: (typeof reports)[number]) => number) =>
      reports.reduce((total, report) => total + pick(report), 0);

    // It did break, in both directions, and what had been committed unseen was met again.
    expect(restarted).toBeDefined();
    expect(proxy.cuts.inRequest).toBeGreaterThan(5);
    expect(proxy.cuts.inAnswer).toBeGreaterThan(5);
    expect(sum((report) => report.retries)).toBeGreaterThan(10);
    expect(sum((report) => report.duplicates)).toBeGreaterThan(0);
    expect(reports.flatMap((report) => report.rejected)).toEqual([]);
    expect(sum((report) => report.accepted + report.duplicates)).toBe(readings.length);
    await proxy.close();

    for (const sensor of sensors) {
      const sent = readings.filter((reading) => reading.sensor === sensor.code);
      expect(sent).toHaveLength(1461);
      const kept = await readReadings(daemon.url, reader.secret, sensor.id, 400);
      expect(kept).toEqual(sent.map(({ at, value }) => ({ at, value })));
    }
  });

  it('gives the same as CSV, and day by day in buckets', async () => {
    const { secret } = await plant.createKey('Reporting', 'operational-core');
    const daemon = await plant.serve();
    const api = daemon.api(secret);
    const path = { id: 'WX-Seattle.temp_max' };
    const sent = readings.filter((reading) => reading.sensor === 'Seattle.temp_max');

    const csv = await api.GET('/api/v1/sensors/{id}/readings', {
      params: { path, query: { limit: 100_000 } },
      headers: { accept: 'text/csv' },
      parseAs: 'text',
    });
    expect(csv.data).toBe(
      `at,value,quality\n${sent.map(({ at, value }) => `${at},${value},\n`).join('')}`,
    );

    const buckets = await api.GET('/api/v1/sensors/{id}/readings', {
      params: {
        path,
        query: {
          from: '2013-07-01T00:00:00Z',
          to: '2013-08-01T00:00:00Z',
          bucket: '1d',
          agg: ['avg', 'count'],
        },
      },
    });
    const july = sent.filter(({ at }) => at.startsWith('2013-07-'));
    // Days begin at midnight in Berlin, which is two hours ahead of UTC in July.
    const expected = july.map(({ at, value }) => ({
      at: new Date(Date.parse(at.slice(0, 10)) - 2 * 3_600_000).toISOString().replace('Z', '000Z'),
      avg: value,
      count: 1,
    }));
    expect(buckets.data).toEqual({ data: expected, next_cursor: null });
    expect((await daemon.stop()).code).toBe(0);
  });
});
