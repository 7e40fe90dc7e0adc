import { mkdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { createExampleShell } from './shell.ts';

interface Output {
  urls: string[];
  organization: string;
  bucket: string;
  content_encoding: string;
  http_headers: Record<string, string>;
}

let plant: Plant;
let daemon: Daemon;
let output: Output;
let environmentFile: string;

beforeAll(async () => {
  plant = await Plant.open();
  const text = (await plant.ok(['examples', 'telegraf-influxdb.conf'])).stdout;
  const { outputs } = parse(text) as unknown as { outputs: { influxdb_v2: [Output] } };
  [output] = outputs.influxdb_v2;
  await plant.importSensors([{ id: 'T-1', code: 'OVEN-3-T1', name: 'Oven', unit: null }]);

  const folder = plant.path('telegraf');
  mkdirSync(folder);
  environmentFile = `${folder}/hkctl.env`;
  const commands = [...text.matchAll(/^# {3}((?:install|hkctl) .*(?:\n# {5}.*)?)$/gm)];
  expect(commands).toHaveLength(2);
  const shell = createExampleShell(plant);
  for (const [, command = ''] of commands) {
    const line = command.replace(/\\\n# +/, '').replaceAll('/etc/telegraf', folder);
    const { code, stderr } = await shell.run('sh', ['-c', line]);
    expect(code, stderr).toBe(0);
  }
  daemon = await plant.serve();
});
afterAll(() => plant.close());

/** Writes as Telegraf does: it adds its own path to that of the address, and replaces headers. */
function write(lines: string): Promise<Response> {
  const secret = /^HKCTL_KEY=(\S+)$/.exec(readFileSync(environmentFile, 'latin1'))?.[1] ?? '';
  const path = posix.join(new URL(output.urls[0] ?? '').pathname, '/api/v2/write');
  const query = new URLSearchParams({ bucket: output.bucket, org: output.organization });
  const ownHeaders = Object.entries(output.http_headers).map(([name, value]) => [
    name,
    value.replace(/\$\{HKCTL_KEY\}/, secret),
  ]);
  return fetch(new URL(`${path}?${query}`, daemon.url), {
    method: 'POST',
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Encoding': output.content_encoding,
      ...Object.fromEntries(ownHeaders),
    },
    body: gzipSync(lines),
  });
}

it('telegraf-influxdb.conf writes with the key of its environment, and is told which lines are rejected', async () => {
  const good = `modbus,sensor=OVEN-3-T1,host=g value=1.5 ${Date.now()}000000\n`;
  expect((await write(good)).status).toBe(204);
  expect((await write(good)).status).toBe(204);
  const partial = await write(`${good}modbus,sensor=NONE value=1 ${Date.now()}000000\n`);
  expect(partial.status).toBe(400);
  expect(await partial.json()).toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('line 2: unknown_sensor'),
  });
});
