import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Face, listening } from './faces.ts';
import { HttpPlant } from './plant.ts';

type Browser = Awaited<ReturnType<typeof chromium.launch>>;
let plant: HttpPlant;
let face: Face & { url: string };
let browser: Browser;
let secret: string;

beforeAll(async () => {
  plant = await HttpPlant.open();
  face = await listening(plant);
  secret = (await plant.key()).secret;
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
});

afterAll(async () => {
  await browser?.close();
  await face.close();
  await plant.domain.store.close();
});

async function open(path: string, width = 1280, at = face.url) {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  page.setDefaultTimeout(20_000);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${at}${path}`);
  await page.waitForSelector('.opblock');
  return { page, requests, complaints };
}

describe.each(['/api/v1', '/api/v1/docs'])('%s', (path) => {
  it('shows every operation under its strict policy, without a request to another site', async () => {
    const { page, requests, complaints } = await open(path);
    expect(await page.locator('.opblock').count()).toBeGreaterThan(40);
    expect(requests.filter((url) => !url.startsWith(face.url) && !url.startsWith('data:'))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

it.each(['/api/v1', '/api/v1/', '/api/v1/docs', '/api/v1/docs/'])(
  'from %s all that it needs is reached by relative paths, so that a proxy may put it anywhere',
  async (path) => {
    const page = await (await fetch(face.url + path)).text();
    const refs = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(refs.length).toBeGreaterThan(5);
    for (const ref of refs.filter((ref) => !ref.startsWith('data:'))) {
      expect(ref).toMatch(/^\.{1,2}\//);
      expect((await fetch(new URL(ref, face.url + path))).status, ref).toBe(200);
    }
  },
);

/** Enters the key, opens `GET /me` and executes it; returns the answer that the page shows. */
async function askWhoIAm(page: Awaited<ReturnType<Browser['newPage']>>): Promise<string | null> {
  await page.click('button.authorize');
  await page.fill('.auth-container input', secret);
  await page.click('.auth-btn-wrapper button.authorize');
  await page.click('.auth-btn-wrapper button.btn-done');
  await page.click('#operations-Key-getMe .opblock-summary-control');
  await page.click('#operations-Key-getMe button.execute');
  const answer = await page.waitForSelector('#operations-Key-getMe .live-responses-table .highlight-code');
  return answer.textContent();
}

it('works below the path of a proxy, calls included', async () => {
  let port = 0;
  const proxy = createServer((req, res) => {
    const path = req.url?.replace(/^\/hk\/prod(?=\/)/, '');
    const { method, headers } = req;
    if (path === req.url) res.writeHead(404).end();
    else
      req.pipe(
        request({ port, path, method, headers }, (answer) =>
          answer.pipe(res.writeHead(answer.statusCode ?? 0, answer.headers)),
        ),
      );
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/hk/prod`;
  const behind = await listening(plant, { baseUrl });
  port = Number(/"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(behind.log())?.[1]);
  const { page, requests, complaints } = await open('/api/v1', 1280, baseUrl);
  expect(await askWhoIAm(page)).toContain('"Nordwerk"');
  expect(requests.filter((url) => !url.startsWith(`${baseUrl}/`) && !url.startsWith('data:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
  await behind.close();
  await new Promise((resolve) => proxy.close(resolve));
});

it('makes an authenticated call by clicking, and stores the key nowhere', async () => {
  const { page, requests, complaints } = await open('/api/v1/docs');
  expect(await askWhoIAm(page)).toContain('"Nordwerk"');
  expect(requests.some((url) => url.endsWith('/api/v1/me'))).toBe(true);
  expect(requests.some((url) => url.includes(secret.slice(8, 20)))).toBe(false);
  const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])');
  expect(kept).not.toContain(secret.slice(3, 12));
  expect(complaints).toEqual([]);
  await page.reload();
  await page.waitForSelector('.opblock');
  expect(await page.locator('button.authorize.unlocked').count()).toBe(1);
  await page.close();
});

it.each([360, 2560])('does not scroll horizontally at %i pixels', async (width) => {
  const { page } = await open('/api/v1/docs', width);
  await page.click('#operations-Key-getMe .opblock-summary-control');
  await page.click('#operations-Sensor_lookup-listSensorReadings .opblock-summary-control');
  await page.waitForSelector('#operations-Key-getMe button.execute');
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(overflow).toBeLessThanOrEqual(0);
  await page.close();
});
