import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Face, listening } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

// What a person sees is in test/slow/page: a browser takes seconds to start.
let plant: HttpPlant;
let face: Face & { url: string };

beforeAll(async () => {
  plant = await HttpPlant.open();
  face = await listening(plant);
});
afterAll(async () => {
  await face.close();
  await plant.domain.store.close();
});

describe('the page for people', () => {
  it('reaches its files by relative paths, so that a proxy may serve it below any prefix', async () => {
    const text = await (await fetch(`${face.url}/`)).text();
    const references = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1] ?? '');
    const files = references.filter((reference) => !reference.startsWith('data:'));

    expect(files).toEqual(['page/page.css', 'page/page.js', 'api/v1/docs']);
    for (const file of files) expect((await fetch(`${face.url}/${file}`)).status, file).toBe(200);
  });

  it('runs no inline code and requires Trusted Types', async () => {
    const policy = (await fetch(`${face.url}/`)).headers.get('Content-Security-Policy') ?? '';

    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toContain("trusted-types 'none'");
    expect(policy).toContain("default-src 'none'");
  });

  it('weighs less than 250 kB, all its files together', async () => {
    const sizes = await Promise.all(
      ['', 'page/page.js', 'page/page.css'].map(
        async (file) => (await (await fetch(`${face.url}/${file}`)).arrayBuffer()).byteLength,
      ),
    );

    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000);
    expect(Math.min(...sizes)).toBeGreaterThan(100);
  });

  it('answers 304 while it is unchanged, and 405 to a method that writes', async () => {
    const { headers } = await fetch(`${face.url}/page/page.js`);
    const again = await fetch(`${face.url}/page/page.js`, {
      headers: { 'If-None-Match': headers.get('ETag') ?? '' },
    });

    expect(again.status).toBe(304);
    expect((await fetch(`${face.url}/`, { method: 'POST' })).status).toBe(405);
  });

  it('names no other host', async () => {
    for (const file of ['', 'page/page.js', 'page/page.css']) {
      const text = await (await fetch(`${face.url}/${file}`)).text();
      const hosts = [...text.matchAll(/https?:\/\/[^\s"'`)]+/g)].map(([address]) => address);
      expect(hosts.filter((host) => host !== 'http://www.w3.org/2000/svg')).toEqual([]);
    }
  });
});

describe('with --no-page', () => {
  let documentsOnly: Face & { url: string };

  beforeAll(async () => {
    documentsOnly = await listening(plant, { noPage: true });
  });
  afterAll(() => documentsOnly.close());

  it('/ leads to the documents, for people who type the address alone', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(`${documentsOnly.url}/`, { method, redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([302, 'api/v1/docs']);
    }
    expect((await fetch(`${documentsOnly.url}/`)).url).toBe(`${documentsOnly.url}/api/v1/docs`);
    expect((await fetch(`${documentsOnly.url}/page/page.js`)).status).toBe(404);
  });
});
