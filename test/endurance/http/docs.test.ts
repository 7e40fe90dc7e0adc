import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Browser, launchBrowser, openDocs, type Page } from '../../http/browser.ts';
import { type Face, listening } from '../../http/faces.ts';
import { HttpPlant } from '../../http/plant.ts';

let plant: HttpPlant;
let face: Face & { url: string };
let browser: Browser;
let secret: string;

beforeAll(async () => {
  plant = await HttpPlant.open();
  face = await listening(plant);
  secret = (await plant.key()).secret;
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await face.close();
  await plant.domain.store.close();
});

it('/api/v1/docs shows every operation under its strict policy, without a request to elsewhere', async () => {
  const { page, requests, complaints } = await openDocs(browser, `${face.url}/api/v1/docs`);
  expect(await page.locator('.opblock').count()).toBeGreaterThan(40);
  expect(requests.filter((url) => !url.startsWith(face.url) && !url.startsWith('data:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

/** Types the key in, opens `GET /me` and executes it; gives what the page shows of the answer. */
async function askWhoIAm(page: Page): Promise<string | null> {
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
  const { page, requests, complaints } = await openDocs(browser, `${baseUrl}/api/v1`);
  expect(await askWhoIAm(page)).toContain('"Nordwerk"');
  expect(requests.filter((url) => !url.startsWith(`${baseUrl}/`) && !url.startsWith('data:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
  await behind.close();
  await new Promise((resolve) => proxy.close(resolve));
});

it('makes an authenticated call by clicking, and keeps the key nowhere', async () => {
  const { page, requests, complaints } = await openDocs(browser, `${face.url}/api/v1/docs`);
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

it.each([360, 2560])('has nothing to scroll sideways at %i pixels', async (width) => {
  const { page } = await openDocs(browser, `${face.url}/api/v1/docs`, width);
  await page.click('#operations-Key-getMe .opblock-summary-control');
  await page.click('#operations-Sensor_lookup-listSensorReadings .opblock-summary-control');
  await page.waitForSelector('#operations-Key-getMe button.execute');
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(overflow).toBeLessThanOrEqual(0);
  await page.close();
});
