import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { call } from '../../e2e/client.ts';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { type Running, until } from '../../e2e/program.ts';
import { freePort } from '../e2e/two-accounts.ts';
import { needPrograms } from '../machine/needs.ts';

interface Configuration {
  rule_files: string[];
  scrape_configs: {
    job_name: string;
    metrics_path: string;
    static_configs: { targets: string[] }[];
  }[];
}

interface Up {
  metric: object;
  value: [at: number, value: string];
}

needPrograms('promtool', 'prometheus');
let plant: Plant;
let daemon: Daemon;
let text: string;
beforeAll(async () => {
  plant = await Plant.open();
  text = (await plant.ok(['examples', 'prometheus.yml'])).stdout;
  // As its comment says.
  const [, args = '', file = ''] = /: hkctl (metrics-rules) > (\S+)$/m.exec(text) ?? [];
  plant.write(file, (await plant.ok([args])).stdout);
  daemon = await plant.serve();
});
afterAll(() => plant.close());

/** The file with the address of this daemon instead of the usual one. */
const written = () =>
  plant.write('prometheus.yml', text.replace('127.0.0.1:8420', `127.0.0.1:${daemon.port}`));

it('promtool finds nothing to say against prometheus.yml and its rules', async () => {
  const { code, stdout, stderr } = await plant.attach('promtool', ['check', 'config', written()])
    .ended;
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/SUCCESS: 1 rule files found/);
  expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
});

it('reads the path where the daemon has its metrics, without a key', async () => {
  const { scrape_configs: jobs } = parse(text) as Configuration;
  expect(jobs).toHaveLength(1);
  const answer = await call(`${daemon.url}${jobs[0]?.metrics_path}`);
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('hkctl_build_info')]);
});

it('lets a real Prometheus read the daemon', async () => {
  const port = await freePort();
  const prometheus: Running = plant.attach('prometheus', [
    `--config.file=${written().replace('scrape_interval: 30s', 'scrape_interval: 1s')}`,
    `--storage.tsdb.path=${plant.path('prometheus-data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  await prometheus.says(/Server is ready to receive web requests/);
  const up = await until(
    'Prometheus has read hkctl',
    async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=up`);
      const { data } = (await answer.json()) as { data: { result: Up[] } };
      return data.result[0];
    },
    { timeoutMs: 60_000, everyMs: 200 },
  );
  expect([up.metric, up.value[1]]).toEqual([expect.objectContaining({ job: 'hkctl' }), '1']);
  await prometheus.stop();
});
