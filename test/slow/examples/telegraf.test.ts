import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import jsonata from 'jsonata';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readReadings } from '../../e2e/client.ts';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { until } from '../../e2e/program.ts';
import { createExampleShell, type ExampleShell } from './shell.ts';

interface Configuration {
  secretstores: { docker: { id: string; path: string; dynamic: boolean }[] };
  outputs: {
    http: {
      url: string;
      method: string;
      content_encoding: string;
      use_batch_format: boolean;
      metric_batch_size: number;
      non_retryable_statuscodes: number[];
      data_format: string;
      json_timestamp_format: string;
      json_transformation: string;
      headers: Record<string, string>;
      tagpass: Record<string, string[]>;
    }[];
  };
  inputs: { modbus: { holding_registers: { name: string }[]; tags: Record<string, string> }[] };
}

/** A metric as Telegraf holds it: its time is exact to the nanosecond. */
interface Metric {
  name?: string;
  tags: Record<string, string>;
  fields: Record<string, number | boolean | string>;
  atNs: bigint;
}

interface Body {
  readings: { sensor?: string; at: unknown; value: unknown; quality?: unknown }[];
}

interface Usage {
  readings: { rejected: Record<string, number> };
}

interface Verdict {
  accepted: number;
  duplicates: number;
  rejected: { index: number; code: string }[];
}

const codes = ['OVEN-3-T1', 'OVEN-3.temperature', 'OVEN-3.pressure', 'OVEN-3.door'];
const startNs = 1_795_162_500_000_000_000n;

let plant: Plant;
let daemon: Daemon;
let shell: ExampleShell;
let text: string;
let http: Configuration['outputs']['http'][number];
let configuration: Configuration;
let keyFile: string;
/** The command of the comment that gives Telegraf its key. */
let created: string;
beforeAll(async () => {
  plant = await Plant.open();
  text = (await plant.ok(['examples', 'telegraf.conf'])).stdout;
  configuration = parse(text) as unknown as Configuration;
  http = configuration.outputs.http[0] as typeof http;
  const sensors = [...codes, ...Array.from({ length: 1000 }, (_, n) => `S-${n}`)];
  await plant.importSensors(
    sensors.map((code, n) => ({ id: `T-${n}`, code, name: code, unit: null })),
  );

  shell = createExampleShell(plant);
  const folder = plant.path('telegraf');
  mkdirSync(folder);
  const command = /^# {3}(hkctl keys create [^\n]*\n# {5}[^\n]*)$/m.exec(text)?.[1] ?? '';
  created = command.replace(/\\\n# +/, '').replace('/etc/telegraf/hkctl', folder);
  const { code, stderr } = await shell.run('sh', ['-c', created]);
  expect(code, stderr).toBe(0);
  keyFile = `${folder}/key`;
  daemon = await plant.serve();
});
afterAll(() => plant.close());

/** What Telegraf's JSON serializer makes of a batch, before its transformation. */
function batchOf(metrics: readonly Metric[], timestampOf: (atNs: bigint) => unknown = rfc3339) {
  return {
    metrics: metrics.map(({ name = 'modbus', tags, fields, atNs }) => ({
      fields,
      name,
      tags,
      timestamp: timestampOf(atNs),
    })),
  };
}

/** An instant in the layout of `json_timestamp_format`, cut to microseconds as Go does. */
function rfc3339(atNs: bigint): string {
  expect(http.json_timestamp_format).toBe('2006-01-02T15:04:05.000000Z07:00');
  const micros = String((atNs / 1000n) % 1_000_000n).padStart(6, '0');
  return new Date(Number(atNs / 1_000_000_000n) * 1000)
    .toISOString()
    .replace('.000Z', `.${micros}Z`);
}

const transformed = (batch: unknown): Body => jsonata(http.json_transformation).evaluate(batch);

/** Sends a body as the configuration says, with the key that is in its file. */
async function send(body: unknown) {
  const headers = Object.entries(http.headers).map(([name, value]): [string, string] => [
    name,
    // Telegraf puts the file's bytes into the header as they are; fetch and Go refuse a newline there.
    value.replace('@{hkctl:key}', readFileSync(keyFile, 'latin1')),
  ]);
  const json = `${JSON.stringify(body)}\n`;
  const isZipped = http.content_encoding === 'gzip';
  return fetch(new URL(new URL(http.url).pathname, daemon.url), {
    method: http.method,
    headers: isZipped ? [...headers, ['Content-Encoding', 'gzip']] : headers,
    body: isZipped ? gzipSync(json) : json,
  });
}

async function post(metrics: readonly Metric[]): Promise<Verdict> {
  const answer = await send(transformed(batchOf(metrics)));
  expect(answer.status).toBe(200);
  return (await answer.json()) as Verdict;
}

describe('telegraf.conf', () => {
  it('sends batches as gzipped JSON, with a key from a file that is read each time', () => {
    expect(http).toMatchObject({
      data_format: 'json',
      use_batch_format: true,
      content_encoding: 'gzip',
    });
    const [store] = configuration.secretstores.docker;
    expect(http.headers.Authorization).toBe(`Bearer @{${store?.id}:key}`);
    expect(store).toMatchObject({ path: '/etc/telegraf/hkctl', dynamic: true });
    expect(readFileSync(keyFile, 'utf8')).toMatch(/^hk_\w{49}$/);
    expect(statSync(keyFile).mode & 0o777).toBe(0o640);
  });

  it('tags its own input with a sensor, which its filter lets pass', () => {
    const [input] = configuration.inputs.modbus;
    expect(Object.keys(input?.tags ?? {})).toEqual(Object.keys(http.tagpass));
    expect(input?.holding_registers.map(({ name }) => name)).toEqual(['value']);
  });

  it('makes a list of a batch of one', async () => {
    const metrics = [{ tags: { sensor: 'OVEN-3-T1' }, fields: { value: 182.4 }, atNs: startNs }];
    expect(transformed(batchOf(metrics))).toEqual({
      readings: [{ sensor: 'OVEN-3-T1', at: '2026-11-20T08:15:00.000000Z', value: 182.4 }],
    });
    expect(await post(metrics)).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
  });

  it('sends a thousand at once, and once more without harm', async () => {
    const metrics = Array.from({ length: http.metric_batch_size }, (_, n) => ({
      tags: { sensor: `S-${n}`, host: 'gateway3', slave_id: '1' },
      fields: { value: n / 10 },
      atNs: startNs + BigInt(n) * 1000n,
    }));
    expect(metrics).toHaveLength(1000);
    expect(await post(metrics)).toEqual({ accepted: 1000, duplicates: 0, rejected: [] });
    expect(await post(metrics)).toEqual({ accepted: 0, duplicates: 1000, rejected: [] });
  });

  it('sends each number and boolean of a metric, and quality, but no other text', async () => {
    const metrics: Metric[] = [
      {
        tags: { sensor: 'OVEN-3' },
        fields: { temperature: 851.25, pressure: 3, door: true, firmware: '2.1', quality: 'good' },
        atNs: startNs + 123_456_789n,
      },
      { tags: { sensor: 'OVEN-3' }, fields: { firmware: '2.1' }, atNs: startNs },
      { tags: { sensor: 'OVEN-3' }, fields: {}, atNs: startNs },
    ];
    expect(await post(metrics)).toEqual({ accepted: 3, duplicates: 0, rejected: [] });
    const { secret } = await plant.createKey('Reader', 'operational-core');
    const read = async (sensor: string) => readReadings(daemon.url, secret, sensor, 100);
    const at = '2026-11-20T08:15:00.123456Z';
    expect(await read('T-1')).toEqual([{ at, value: 851.25, quality: 'good' }]);
    expect(await read('T-2')).toEqual([{ at, value: 3, quality: 'good' }]);
    expect(await read('T-3')).toEqual([{ at, value: 1, quality: 'good' }]);
  });

  it('makes an empty list of a batch without numbers', async () => {
    const metrics = [{ tags: { sensor: 'OVEN-3' }, fields: { firmware: '2.1' }, atNs: startNs }];
    expect(transformed(batchOf(metrics))).toEqual({ readings: [] });
    expect(await post(metrics)).toEqual({ accepted: 0, duplicates: 0, rejected: [] });
  });

  it('loses no other reading to a sensor that hkctl does not know, or a metric without the tag', async () => {
    const at = { atNs: startNs + 5_000_000_000n, fields: { value: 1 } };
    const metrics: Metric[] = [
      { ...at, tags: { sensor: 'nobody' } },
      { ...at, tags: { sensor: 'OVEN-3-T1' } },
      // Without the filter of the output.
      { ...at, tags: { host: 'gateway3' } },
    ];
    const verdict = await post(metrics);
    expect(verdict).toMatchObject({ accepted: 1, duplicates: 0 });
    expect(verdict.rejected.map(({ index, code }) => [index, code])).toEqual([
      [0, 'unknown_sensor'],
      [2, 'missing_field'],
    ]);
    // As the file says, since Telegraf does not read the verdict.
    await until('the usage of the key counts them', async () => {
      const { usage } = await plant.json<{ usage: Usage[] }>(['keys', 'show', 'Telegraf']);
      const rejected = usage.at(-1)?.readings.rejected;
      return rejected?.unknown_sensor === 1 && rejected.missing_field === 1;
    });
  });

  it.each([
    ['seconds, its default', 1_000_000_000n, 'invalid_at'],
    ['nanoseconds', 1n, 'in_future'],
  ])('needs its format of instants: hkctl rejects epoch %s', async (_, unit, code) => {
    const metrics = [{ tags: { sensor: 'OVEN-3-T1' }, fields: { value: 1 }, atNs: startNs }];
    const body = transformed(batchOf(metrics, (atNs) => Number(atNs / unit)));
    const { rejected } = (await (await send(body)).json()) as Verdict;
    expect(rejected).toEqual([expect.objectContaining({ code })]);
  });

  it('keeps what a revoked key could not send, and sends it with the next key', async () => {
    const metrics = [
      { tags: { sensor: 'OVEN-3-T1' }, fields: { value: 2 }, atNs: startNs + 9_000_000_000n },
    ];
    const body = transformed(batchOf(metrics));
    await plant.ok(['keys', 'revoke', 'Telegraf', '--yes']);
    const { status } = await send(body);
    expect(status).toBe(401);
    expect(http.non_retryable_statuscodes).not.toContain(status);

    expect((await shell.run('sh', ['-c', created])).code).toBe(0);
    expect(await post(metrics)).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
    const rotate = created.replace(/create --name (\w+) .* --deliver/, 'rotate $1 --yes --deliver');
    const before = readFileSync(keyFile, 'utf8');
    expect((await shell.run('sh', ['-c', rotate])).code).toBe(0);
    expect(readFileSync(keyFile, 'utf8')).not.toBe(before);
    expect(await post(metrics)).toEqual({ accepted: 0, duplicates: 1, rejected: [] });
  });
});
