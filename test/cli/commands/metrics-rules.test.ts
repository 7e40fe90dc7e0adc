import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { makeCertificate } from '../../http/certificates.ts';
import { listening } from '../../http/faces.ts';
import { HttpPlant } from '../../http/plant.ts';
import { Cli } from '../harness.ts';

const cli = new Cli();
const rules = async (...flags: string[]) => (await cli.ok(['metrics-rules', ...flags])).stdout;

/** The names of metrics in a text of queries. */
const namesIn = (text: string) => [...new Set(text.match(/\b(hkctl|process|nodejs)_[a-z0-9_]+/g))];

it('rules and dashboard use metrics that the daemon has, with labels that they have', async () => {
  const plant = await HttpPlant.open();
  await plant.key({ expiresAtMs: plant.nowMs + 86_400_000 });
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-metrics-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await makeCertificate(folder, 'own');
  const [tlsCert, tlsKey] = [join(folder, 'own.crt'), join(folder, 'own.key')];
  // The metric of the certificate is there only with one.
  const face = await listening(plant, { tlsCert, tlsKey });
  const read = (path: string) => textOver(`${face.url}${path}`);
  await read('/api/v1/me');
  // Only a client that has read the metrics before sees those of the process and of its own first call.
  await read('/metrics');
  const metrics = await read('/metrics');
  await face.close();
  await plant.domain.store.close();
  const used = namesIn(`${await rules()}${await rules('--grafana')}`);
  expect(used.length).toBeGreaterThan(12);
  const exported = new Set([...metrics.matchAll(/^(\w+)[{ ]/gm)].map(([, name]) => name));
  expect(used.filter((name) => !exported.has(name))).toEqual([]);
  for (const [, reasons] of (await rules()).matchAll(/reason=~\\"([^"\\]+)/g)) {
    for (const reason of (reasons ?? '').split('|'))
      expect(metrics).toContain(`reason="${reason}"`);
  }
});

/** What a daemon with a certificate of its own answers. */
function textOver(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      text(response).then(resolve, reject);
    }).once('error', reject);
  });
}

it('--job names the job; what could break out of a query is refused', async () => {
  expect(await rules('--job', 'plant/api')).toContain('up{job=\\"plant/api\\"} == 0');
  for (const wrong of ['a"b', 'a\nb', ''])
    expect((await cli.run(['metrics-rules', '--job', wrong])).code).toBe(2);
  expect((await cli.ok('metrics-rules --json')).json().rules).toContain('alert: HkctlDown');
});

it('--grafana prints a dashboard whose panels do not overlap', async () => {
  const { panels } = JSON.parse(await rules('--grafana')) as {
    panels: { title: string; gridPos: { x: number; y: number }; targets: { expr: string }[] }[];
  };
  expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length);
  expect(panels.every(({ targets }) => targets.length > 0)).toBe(true);
});
