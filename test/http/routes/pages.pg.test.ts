import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../e2e/client.ts';
import type { Face } from '../faces.ts';
import { servedPlant } from '../served-plant.ts';

let face: Face & { url: string };
let secret: string;
beforeAll(async () => {
  ({ face, secret } = await servedPlant());
});

const get = (path: string, headers: Record<string, string> = {}) =>
  face.fetch(path, { headers: { authorization: `Bearer ${secret}`, ...headers } });

describe('pages', () => {
  it('visit each record once, by the cursor and by the Link header', async () => {
    for (const query of [
      'limit=7',
      'limit=50&is_active=true',
      'limit=13&updated_since=2026-01-01T00:00:00Z',
      'limit=13&sort=-category',
      'limit=13&sort=name&is_active=true',
    ]) {
      const seen: string[] = [];
      let path: string | undefined = `/api/v1/parts?${query}`;
      while (path !== undefined) {
        const response: Response = await get(path);
        const { data, next_cursor } = (await response.json()) as {
          data: { id: string }[];
          next_cursor: string | null;
        };
        seen.push(...data.map(({ id }) => id));
        path = nextOf(response);
        expect(path === undefined).toBe(next_cursor === null);
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.length).toBeGreaterThanOrEqual(59);
    }
  });

  it('of readings continue where the previous one ended, in every type', async () => {
    const base = Date.UTC(2026, 10, 19);
    const readings = Array.from({ length: 25 }, (_, index) => ({
      sensor: 'SE-1001',
      at: base + index * 1000,
      value: index,
    }));
    const url = `${face.url}/api/v1/sensors/readings`;
    expect((await call(url, { secret, body: { readings } })).json()).toMatchObject({
      accepted: 25,
    });
    for (const type of ['application/json', 'text/csv', 'application/x-ndjson']) {
      const values: number[] = [];
      let path: string | undefined =
        '/api/v1/sensors/SE-1001/readings?limit=10&from=2026-11-19T00:00:00Z&to=2026-11-19T00:00:24Z';
      while (path !== undefined) {
        const response: Response = await get(path, { accept: type });
        const text = await response.text();
        values.push(...valuesIn(text, type));
        path = nextOf(response);
      }
      expect(values).toEqual(Array.from({ length: 24 }, (_, index) => index));
    }
  });
});

/** The next page as the Link header names it. */
function nextOf(response: Response): string | undefined {
  return /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
}

function valuesIn(page: string, type: string): number[] {
  if (type === 'application/json')
    return JSON.parse(page).data.map(({ value }: { value: number }) => value);
  const lines = page.trim().split('\n');
  if (type === 'text/csv') return lines.slice(1).map((line) => Number(line.split(',')[1]));
  return lines.map((line) => JSON.parse(line).value);
}
