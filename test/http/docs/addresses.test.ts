import { afterAll, beforeAll, expect, it } from 'vitest';
import { examplePrograms } from '../../../src/core/operations/examples.ts';
import { type Face, listening } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

// What a browser shows is in test/slow/http/docs.test.ts: each page takes it seconds.
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

it.each(['/api/v1', '/api/v1/', '/api/v1/docs', '/api/v1/docs/'])(
  '%s: all that the page needs is reached by relative paths, so that a proxy may put it anywhere',
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

it('the page leads to each example of the manual, and says what it does', async () => {
  const page = await (await fetch(`${face.url}/api/v1/docs`)).text();
  const links = [...page.matchAll(/docs\/examples\/([^"]+)" title="([^"]+)">([^<]+)</g)];
  expect(links.map(([, name, does, shown]) => [name, does, shown]).sort()).toEqual(
    examplePrograms.map(({ name, does }) => [name, does, name]).sort(),
  );
});
