import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareApp, type Face } from '../../../http/faces.ts';
import { HttpPlant } from '../../../http/plant.ts';

let plant: HttpPlant;
let face: Face;
let headers: Record<string, string>;
beforeAll(async () => {
  plant = await HttpPlant.open();
  face = bareApp(plant);
  headers = { authorization: `Bearer ${(await plant.key()).secret}` };
});
afterAll(() => plant.domain.store.close());

const instants = [
  '0000-01-01T00:00:00.000000Z',
  '0001-01-01T00:00:00.000000Z',
  '1683-12-31T00:00:00.000000Z',
  '1970-01-01T00:00:00.000000Z',
  '2255-12-31T00:00:00.000000Z',
  '2260-01-01T00:00:00.000000Z',
  '9999-12-31T23:59:59.999999Z',
  '+275760-09-13T00:00:00.000000Z',
  '9999-12-31T23:59:59.999999-23:59',
  '0000-01-01T00:00:00+23:59',
  '',
  '\ud800',
];
const days = ['0000-01-01', '0001-01-01', '0999-12-31', '9998-12-31', '9999-12-31'];
const numbers = [0, -0.5, 1e15, -1e15, 2 ** 53 - 1, -(2 ** 53 - 1), 2 ** 60, 1e300, '9'.repeat(15)];
const values = [...instants, ...days, ...numbers, null, [], {}];

async function get(path: string) {
  const response = await face.fetch(`/api/v1${path}`, { headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const parameter = (value: unknown) => encodeURIComponent(String(value).toWellFormed());
const decoded = (token: unknown): unknown[] =>
  JSON.parse(Buffer.from(String(token), 'base64url').toString());
const encoded = (parts: readonly unknown[]) =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/** A token or cursor with each of its members replaced by each value. */
function* forged(token: unknown): Generator<string> {
  const parts = decoded(token);
  for (let place = 0; place < parts.length; place++) {
    for (const value of values) yield encoded(parts.with(place, value));
  }
  yield encoded(parts.slice(0, -1));
  yield encoded([...parts, 0]);
}

describe('no instant of a client is an internal error', () => {
  it.each([
    ['/parts', 'updated_since'],
    ['/jobs', 'required_date_from'],
    ['/jobs', 'required_date_week'],
    ['/oee-events', 'started_at'],
    ['/oee-events', 'started_at_from'],
    ['/oee-events', 'started_at_to'],
    ['/oee-events', 'started_at_week'],
    ['/sensors/SE-1001/readings', 'from'],
    ['/sensors/SE-1001/readings', 'to'],
    ['/sensors/SE-1001/readings', 'bucket=1h&from'],
  ])('of %s %s', async (path, name) => {
    for (const value of values) {
      const { status } = await get(`${path}?${name}=${parameter(value)}`);
      expect([200, 400], `${name}=${value}: ${status}`).toContain(status);
    }
  });

  it.each([
    ['/parts?limit=1', '/parts?limit=1&cursor='],
    ['/parts?limit=1&updated_since=2020-01-01', '/parts?limit=1&updated_since=2020-01-01&cursor='],
  ])('of a cursor of %s', async (first, next) => {
    const { body } = await get(first);
    expect(body.next_cursor).toEqual(expect.any(String));
    for (const cursor of forged(body.next_cursor)) {
      const { status } = await get(`${next}${cursor}`);
      expect([200, 400], `${decoded(cursor)}: ${status}`).toContain(status);
    }
  });

  it('of a sync token, nor of a cursor of its pages', async () => {
    const { body } = await get('/parts?limit=500');
    for (const token of forged(body.sync_token)) {
      const { status } = await get(`/parts?sync_token=${token}`);
      expect([200, 400, 410], `${decoded(token)}: ${status}`).toContain(status);
    }
    // From before all changes.
    const start = encoded(decoded(body.sync_token).with(2, ''));
    const page = await get(`/parts?limit=1&sync_token=${start}`);
    expect(page.body.next_cursor).toEqual(expect.any(String));
    for (const cursor of forged(page.body.next_cursor)) {
      const { status } = await get(`/parts?limit=1&sync_token=${start}&cursor=${cursor}`);
      expect([200, 400, 410], `${decoded(cursor)}: ${status}`).toContain(status);
    }
  });

  it('a token of a change that has not happened is expired', async () => {
    const { body } = await get('/parts?limit=500');
    const ahead = encoded(decoded(body.sync_token).with(2, '2200-01-01T00:00:00.000000Z'));
    expect(await get(`/parts?sync_token=${ahead}`)).toMatchObject({
      status: 410,
      body: { code: 'sync_token_expired' },
    });
  });
});
