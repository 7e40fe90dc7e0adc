import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { manFolder } from '../../../docs/mdoc.ts';
import { readReadings } from '../../../e2e/client.ts';
import { type Daemon, Plant } from '../../../e2e/plant.ts';
import { until } from '../../../e2e/program.ts';
import { createRandom } from '../../../e2e/random.ts';
import { runProgram } from '../../../run-program.ts';
import { createBreakingProxy } from './breaking-proxy.ts';

/** Node-RED is no dependency of hkctl: npm installs it here, once a machine. */
const version = '4.1.0';
const folder = join(process.env.TEST_HKCTL_KEPT ?? tmpdir(), `hkctl-node-red-${version}`);
const script = join(folder, 'node_modules', 'node-red', 'red.js');

let plant: Plant;
let daemon: Daemon;
beforeAll(async () => {
  if (!existsSync(script)) {
    mkdirSync(folder, { recursive: true });
    const args = [
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefix',
      folder,
      `node-red@${version}`,
    ];
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: process.env.TEST_HKCTL_CA_CERTS };
    const { code, stderr } = runProgram('npm', args, { env });
    expect(code, stderr).toBe(0);
  }
  plant = await Plant.open();
  await plant.importSensors([{ id: 'FLOW', code: 'OVEN-3-T1', name: 'Oven', unit: null }]);
  daemon = await plant.serve();
}, 300_000);
afterAll(() => plant.close());

const startMs = Date.parse('2026-11-20T08:00:00Z');
const reading = (sensor: string, n: number) => ({
  sensor,
  at: new Date(startMs + n * 1000).toISOString(),
  value: n,
});

it('the flow of Node-RED delivers every reading once over a network that breaks, also after it was killed', async () => {
  const { secret } = await plant.createKey('Gateway', 'sensor-gateway');
  const reader = (await plant.createKey('Reader', 'operational-core')).secret;
  const proxy = await createBreakingProxy(() => daemon.port, createRandom(4711));
  const spool = plant.path('spool');
  const userDir = plant.path('node-red');
  mkdirSync(userDir);
  copyFileSync(join(manFolder, 'examples', 'gateway-node-red.json'), join(userDir, 'flows.json'));
  const port = await freePort();
  const env = {
    API_URL: `${proxy.url}/`,
    KEY_FILE: plant.write('key', secret),
    SPOOL: spool,
    NODE_RED_HOME: userDir,
  };
  const start = async () => {
    const running = plant.attach(
      process.execPath,
      [script, '-p', String(port), '-u', userDir, 'flows.json'],
      env,
    );
    await running.says(/Started flows/, 120_000);
    return running;
  };
  const send = async (body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${port}/readings`;
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(204);
  };

  const first = await start();
  for (let from = 0; from < 1500; from += 300) {
    await send(Array.from({ length: 300 }, (_, n) => reading('OVEN-3-T1', from + n)));
  }
  await send(reading('nobody', 1));
  await first.stop('SIGKILL');
  const second = await start();
  await send(Array.from({ length: 300 }, (_, n) => reading('OVEN-3-T1', 1500 + n)));
  const isEmpty = () => readdirSync(spool).every((name) => name === 'rejected');
  await until('the spool is empty', isEmpty, { timeoutMs: 120_000, everyMs: 200 });
  const kept = await readReadings(daemon.url, reader, 'FLOW', 1000);
  expect(kept.map(({ value }) => value)).toEqual(Array.from({ length: 1800 }, (_, n) => n));
  expect(readFileSync(join(spool, 'rejected'), 'utf8')).toMatch(
    /^(unknown_sensor \{"sensor":"nobody".*\n)+$/,
  );
  expect(proxy.cuts.inRequest + proxy.cuts.inAnswer).toBeGreaterThan(1);
  expect(`${first.stdout}${second.stdout}${second.stderr}`).not.toContain(secret);
  await second.stop();
  await proxy.close();
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
