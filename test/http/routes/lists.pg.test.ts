import { beforeAll, describe, expect, it } from 'vitest';
import { columnPositions, importTableOf } from '../../../src/core/records/columns.ts';
import { createCsvReader } from '../../../src/formats/csv.ts';
import { takeAll } from '../../formats/reading.ts';
import type { Face } from '../faces.ts';
import { type HttpPlant, resourceOf } from '../plant.ts';
import { servedPlant } from '../served-plant.ts';

let plant: HttpPlant;
let face: Face & { url: string };
let secret: string;
beforeAll(async () => {
  ({ plant, face, secret } = await servedPlant());
});

const get = (path: string, headers: Record<string, string> = {}) =>
  face.fetch(`/api/v1/${path}`, { headers: { authorization: `Bearer ${secret}`, ...headers } });

interface Page {
  data: Record<string, unknown>[];
  removed?: string[];
  next_cursor: string | null;
  sync_token: string | null;
}
const pageOf = async (path: string) => (await (await get(path)).json()) as Page; // checked against the document

const dayMs = 86_400_000;

describe('sync tokens', () => {
  it('are on the last page of a list without filters, and nowhere else', async () => {
    expect((await pageOf('parts?limit=100')).sync_token).toBeNull();
    const first = await pageOf('parts?limit=100');
    const last = await pageOf(`parts?limit=100&cursor=${first.next_cursor}`);
    expect(last.next_cursor).toBeNull();
    expect(last.sync_token).toMatch(/^[\w-]+$/);
    for (const filter of ['updated_since=2020-01-01', 'is_active=true', 'category=none']) {
      expect((await pageOf(`parts?limit=500&${filter}`)).sync_token).toBeNull();
    }
  });

  it('return what has changed, with the details asked for, and the state of sensors', async () => {
    const { sync_token: orders } = await pageOf('orders?limit=500');
    const services = [{ row_id: 'SVC-01', service_code: 'HT-01', quantity: 2 }];
    await plant.import('orders', plant.berlin, [
      { id: 'O-7', order_number: '7', status: 'confirmed', services },
    ]);
    const changes = await pageOf(`orders?sync_token=${orders}&include=services`);
    expect(changes).toMatchObject({
      data: [{ id: 'O-7', services }],
      removed: [],
      next_cursor: null,
    });
    expect((await pageOf(`orders?sync_token=${orders}`)).data[0]).not.toHaveProperty('services');
    const { sync_token: sensors } = await pageOf('sensors');
    await plant.import('sensors', plant.berlin, [
      { id: 'SE-7', code: 'S7', name: 'Seven', is_active: true },
    ]);
    expect((await pageOf(`sensors?sync_token=${sensors}`)).data).toMatchObject([
      { id: 'SE-7', last_value: null },
    ]);
  });

  it('under which nothing has changed are answered 304, and renewed the next day', async () => {
    const { sync_token } = await pageOf('assets?limit=500');
    const path = `assets?sync_token=${sync_token}`;
    const answer = await get(path);
    expect(await answer.json()).toEqual({ data: [], removed: [], next_cursor: null, sync_token });
    const etag = answer.headers.get('etag') ?? '';
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304);
    plant.nowMs += dayMs;
    const nextDay = await get(path, { 'if-none-match': etag });
    expect(nextDay.status).toBe(200);
    expect(((await nextDay.json()) as Page).sync_token).not.toBe(sync_token);
  });

  it('go with no filter, and belong to their own list', async () => {
    const { sync_token } = await pageOf('parts?limit=500');
    for (const path of [
      `parts?sync_token=${sync_token}&is_active=true`,
      `assets?sync_token=${sync_token}`,
    ]) {
      const refused = await get(path);
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { code: 'bad_parameter' },
      ]);
    }
    const { secret: other } = await plant.key({ entity: plant.chicago });
    const theirs = await get(`parts?sync_token=${sync_token}`, {
      authorization: `Bearer ${other}`,
    });
    expect(theirs.status).toBe(400);
  });

  it('are 410 after 90 days', async () => {
    const { sync_token } = await pageOf('parts?limit=500');
    plant.nowMs += 90 * dayMs;
    expect((await get(`parts?sync_token=${sync_token}`)).status).toBe(200);
    plant.nowMs += dayMs;
    const refused = await get(`parts?sync_token=${sync_token}`);
    expect([refused.status, await refused.json()]).toMatchObject([
      410,
      { code: 'sync_token_expired' },
    ]);
  });
});

it('CSV comes in the order asked for, from page to page', async () => {
  const { entity } = await plant.site();
  const part = (id: string, name: string) => ({ id, name, part_number: id, is_active: true });
  await plant.import('parts', entity, [part('1', 'a, b'), part('2', 'Zange'), part('3', 'Öse')]);
  const { secret: own } = await plant.key({ entity });
  const headers = { authorization: `Bearer ${own}`, accept: 'text/csv' };
  const first = await get('parts?sort=-name&limit=2', headers);
  const link = /<\/api\/v1\/([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const pages = [await first.text(), await (await get(link, headers)).text()];
  const ids = pages.flatMap((page) => page.trim().split('\n').slice(1)).map((line) => line[0]);
  expect(ids).toEqual(['3', '1', '2']);
});

it('CSV has the columns of an import, and can be imported again', async () => {
  const nasty = { id: 'P-CSV', name: 'a "b", c\nd', part_number: '=x', is_active: false };
  await plant.import('parts', plant.chicago, [nasty]);
  const { secret: own } = await plant.key({ entity: plant.chicago });
  const answer = await get('parts?limit=1', { authorization: `Bearer ${own}`, accept: 'text/csv' });
  const [header, ...rows] = (await answer.text()).split('\n');
  expect(header).toMatch(/^id,name,part_number,.*,updated_at$/);
  expect(rows[0]).toMatch(/^P-9001,/);
  expect(answer.headers.get('link')).toMatch(
    /^<\/api\/v1\/parts\?limit=1&cursor=[\w-]+>; rel="next"$/,
  );
  const all = await (
    await get('parts', { authorization: `Bearer ${own}`, accept: 'text/csv' })
  ).text();
  expect(all).toContain('\nP-CSV,"a ""b"", c\nd",=x,,,false,');
});

it('CSV with an id that begins like a comment is imported with that record', async () => {
  const { entity } = await plant.site();
  await plant.import('parts', entity, [
    { id: '# 7', name: 'Seven', part_number: '7', is_active: true },
  ]);
  const { secret: own } = await plant.key({ entity });
  const csv = await (
    await get('parts', { authorization: `Bearer ${own}`, accept: 'text/csv' })
  ).text();
  const rows: string[] = [];
  const reader = createCsvReader({
    row: ([id = '']) => rows.push(id),
    fault: ({ rule }) => expect.unreachable(rule),
  });
  takeAll(reader, [Buffer.from(csv)]);
  expect(rows).toEqual(['id', '# 7']);
});

describe.each([
  ['sensors', 'sensors'],
  ['orders', 'orders?include=services'],
  ['orders', 'orders'],
  ['assets', 'assets'],
])('CSV of %s, from %s', (name, path) => {
  it('has the same columns with and without records, which the import of a file accepts', async () => {
    const { entity } = await plant.site();
    const csv = {
      accept: 'text/csv',
      authorization: `Bearer ${(await plant.key({ entity })).secret}`,
    };
    const headerOf = async (headers: Record<string, string>) =>
      (await (await get(path, headers)).text()).split('\n')[0];
    const header = await headerOf({ accept: 'text/csv' });
    expect(await headerOf(csv)).toBe(header);
    const page = await pageOf(path);
    expect(header?.split(',')).toEqual(Object.keys(page.data[0] ?? {}));
    expect(() =>
      columnPositions(importTableOf(resourceOf(name)), header?.split(',') ?? [], 1),
    ).not.toThrow();
  });
});

it('CSV is refused beside a sync token, however its name is encoded: it has no place for removed ids', async () => {
  const { sync_token } = await pageOf('parts?limit=500');
  for (const name of ['sync_token', 'sync%5Ftoken', '%73ync_token']) {
    expect((await get(`parts?${name}=${sync_token}`, { accept: 'text/csv' })).status).toBe(406);
  }
});

describe('a page with long lists', () => {
  const order = (n: number, rows: number) => ({
    id: `O-${1000 + n}`,
    order_number: String(n),
    status: 'confirmed',
    services: Array.from({ length: rows }, (_, row) => {
      return {
        row_id: `SVC-${row + 10}`,
        service_code: 'HT',
        quantity: 1,
        description: 'x'.repeat(500),
      };
    }),
  });
  const longest = 3;
  const orders = Array.from({ length: 10 }, (_, n) => order(n, n === longest ? 4000 : 400));
  let own: Record<string, string>;
  beforeAll(async () => {
    const { entity } = await plant.site();
    own = { authorization: `Bearer ${(await plant.key({ entity })).secret}` };
    await plant.import('orders', entity, orders);
  });

  /** Every page, by its records' ids and its length. */
  async function pagesOf(path: string): Promise<{ ids: string[]; length: number }[]> {
    const pages: { ids: string[]; length: number }[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const text = await (await get(`${path}${cursor && `&cursor=${cursor}`}`, own)).text();
      const page = JSON.parse(text) as Page; // checked against the document
      pages.push({ ids: page.data.map(({ id }) => String(id)), length: text.length });
      cursor = page.next_cursor;
    }
    return pages;
  }
  const ids = orders.map(({ id }) => id);

  it.each([
    'orders?limit=500&include=services',
    'orders?include=services&updated_since=2020-01-01&status=confirmed',
  ])('ends early, and no record is missed: %s', async (path) => {
    const pages = await pagesOf(path);
    expect(pages.flatMap((page) => page.ids)).toEqual(ids);
    for (const { ids: shown, length } of pages) {
      if (shown.length > 1) expect(length).toBeLessThan(1.1 * 1024 * 1024);
    }
    expect(pages.find((page) => page.ids.includes(ids[longest] ?? ''))?.ids).toHaveLength(1);
  });

  it('does not where the list is not shown, or the limit comes first', async () => {
    expect(await pagesOf('orders?limit=500')).toHaveLength(1);
    expect((await pagesOf('orders?limit=1&include=services')).map((page) => page.ids)).toEqual(
      ids.map((id) => [id]),
    );
  });
});
