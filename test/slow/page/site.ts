import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import type { Browser, Page } from '../http/browser.ts';

/** A daemon over a plant, and secrets of keys that open it. */
export interface Site {
  plant: Plant;
  daemon: Daemon;
  secret: string;
}

/** A page of the browser with everything that it asked for and complained about. */
export interface Visit {
  page: Page;
  requests: string[];
  complaints: string[];
}

export const dayMs = 86_400_000;

/** A text that would run if the page took it for markup. */
export const hostileName = '<img src=x onerror="document.title=1"><script>alert(1)</script>';

const axe = readFileSync(join(process.cwd(), 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');

/** Opens a site with sensors that are well, silent, broken and hostile, and a day of readings. */
export async function openSite(): Promise<Site> {
  const plant = await Plant.open();
  await plant.importSensors([
    { id: 'SE-1', code: 'OVEN-1-T1', name: 'Oven 1, zone 1', unit: 'Cel' },
    { id: 'SE-2', code: 'PUMP-1-P1', name: 'Pump 1, pressure', unit: 'bar' },
    { id: 'SE-3', code: 'SILENT-1', name: 'Silent sensor', unit: 'Cel' },
    { id: 'SE-4', code: 'HOSTILE', name: hostileName, unit: 'Cel' },
  ]);
  await plant.ok(['import', 'parts', '-', '--format', 'ndjson', '--entity', 'BER'], {
    input: partLines(),
  });

  const daemon = await plant.serve();
  const { secret } = await plant.createKey('Look', 'operational-core');
  await postReadings(daemon, secret);
  return { plant, daemon, secret };
}

function partLines(): string {
  return Array.from({ length: 120 }, (_, index) =>
    JSON.stringify({
      id: `P-${String(index + 1).padStart(3, '0')}`,
      name: index === 0 ? hostileName : `Part ${index + 1}`,
      part_number: `N-${index + 1}`,
      is_active: index % 2 === 0,
    }),
  ).join('\n');
}

async function postReadings(daemon: Daemon, secret: string): Promise<void> {
  const nowMs = Math.floor(Date.now() / 60_000) * 60_000;
  const minutes = Array.from({ length: 24 * 60 }, (_, index) => index);
  const readings = minutes.flatMap((minute) => {
    const at = nowMs - minute * 60_000;
    // The oven was not heard for an hour: a gap in its curve.
    const isGap = minute > 120 && minute < 180;
    const oven = { sensor: 'SE-1', at, value: 100 + (minute % 50) };
    const quality = minute === 5 ? 'bad' : minute === 7 ? 'uncertain' : 'good';
    return [
      ...(isGap ? [] : [{ ...oven, quality }]),
      { sensor: 'SE-2', at, value: 5 + (minute % 3) },
    ];
  });

  await post(daemon, secret, 'readings', { readings });
  await post(daemon, secret, 'readings', {
    readings: [{ sensor: 'SE-3', at: nowMs - 2 * dayMs, value: 1 }],
  });
  await post(daemon, secret, 'heartbeats', {
    heartbeats: [{ sensor: 'SE-2', status: 'fault', battery: 80 }],
  });
}

/** Posts to the ingest of a daemon; everything must be accepted. */
export async function post(
  daemon: Daemon,
  secret: string,
  kind: 'readings' | 'heartbeats',
  body: object,
): Promise<void> {
  const response = await fetch(`${daemon.url}/api/v1/sensors/${kind}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ rejected: [] });
}

/** Opens an address in a new tab with storage of its own. */
export async function visit(
  browser: Browser,
  address: string,
  { width = 1200, colorScheme = 'light' }: { width?: number; colorScheme?: 'light' | 'dark' } = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.clock.install();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));

  await page.goto(address);
  return { page, requests, complaints };
}

/** Lets 15 s pass for a page at once: what is due by then happens, and nothing that is due later. */
export async function passRefresh(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 15_000);
}

/** Pastes a key into the form and opens the site. */
export async function enter(page: Page, secret: string): Promise<void> {
  await page.fill('#key', secret);
  await page.click('button[type=submit]');
}

/** The critical and serious findings of axe, as `rule: element`; dark colours change nothing but contrast. */
export async function findings(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  const options = {
    resultTypes: ['violations'],
    ...(colorScheme === 'dark' && { runOnly: ['color-contrast'] }),
  };
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>(`axe.run('html', ${JSON.stringify(options)})`);
  return violations
    .filter(({ impact }) => ['critical', 'serious'].includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
