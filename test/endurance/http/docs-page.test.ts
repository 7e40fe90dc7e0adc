import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Browser, launchBrowser, openDocs } from '../../http/browser.ts';
import { type Face, listening } from '../../http/faces.ts';
import { HttpPlant } from '../../http/plant.ts';

// Calls by clicking, proxies and widths are in test/endurance/http/docs.test.ts: each takes seconds of a browser.
let plant: HttpPlant;
let face: Face & { url: string };
let browser: Browser;

beforeAll(async () => {
  plant = await HttpPlant.open();
  face = await listening(plant);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await face.close();
  await plant.domain.store.close();
});

it('/api/v1 shows every operation under its strict policy, without a request to elsewhere', async () => {
  const { page, requests, complaints } = await openDocs(browser, `${face.url}/api/v1`);
  expect(await page.locator('.opblock').count()).toBeGreaterThan(40);
  expect(requests.filter((url) => !url.startsWith(face.url) && !url.startsWith('data:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

it('/ leads to it, for people who type the address alone', async () => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await fetch(`${face.url}/`, { method, redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'api/v1/docs']);
  }
  expect((await fetch(`${face.url}/`)).url).toBe(`${face.url}/api/v1/docs`);
  expect((await fetch(`${face.url}/`, { method: 'POST' })).status).toBe(405);
});

it('shows the key and the resources before the documents', async () => {
  const { page } = await openDocs(browser, `${face.url}/api/v1/docs`);
  const tags = await page.locator('.opblock-tag').evaluateAll((all) => all.map((tag) => tag.getAttribute('data-tag')));
  expect([tags[0], tags.at(-1)]).toEqual(['Key', 'Documents']);
  expect(tags).toHaveLength(10);
  await page.close();
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
