import { describe, expect, it } from 'vitest';
import { until } from '../../e2e/program.ts';
import { atEndOfFile } from '../../ends.ts';
import { listening } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

const plant = await HttpPlant.open();
const face = await listening(plant, { trustProxy: ['127.0.0.0/8', '::1'], logLevel: 'info' });
atEndOfFile(() => face.close());
const { secret } = await plant.key();

function get(path: string, headers: Record<string, string> = {}) {
  return face.fetch(path, { headers: { authorization: `Bearer ${secret}`, ...headers } });
}

/** The API is asked for readings, whose media types are negotiated. */
const readings = '/api/v1/sensors/OVEN-3-T1/readings';

const members = (count: number, member: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => member(n)).join(',');

describe('a request whose headers, path or query take long to read', () => {
  it.each([
    ['32 proxies', '/api/v1/me', { 'x-forwarded-for': members(32, () => '::1') }, 200],
    ['33 proxies', '/api/v1/me', { 'x-forwarded-for': members(33, () => '::1') }, 400],
    ['33 members without an address', '/healthz', { 'x-forwarded-for': ','.repeat(32) }, 400],
    ['100 media types', readings, { accept: members(100, (n) => `a/b${n}`) }, 406],
    ['101 media types', readings, { accept: members(101, () => '*/*') }, 400],
    [
      'one media type with endless parameters',
      readings,
      { accept: `*/*${'; '.repeat(2100)}` },
      400,
    ],
    ['101 codings', '/api/v1/openapi.json', { 'accept-encoding': members(101, () => 'br') }, 400],
    ['101 tags', '/api/v1/openapi.json', { 'if-match': members(101, () => '"a"') }, 400],
    ['thousands of tags', '/api/v1/me', { 'if-none-match': '"a",'.repeat(3000) }, 200],
    ['200 parameters', `/api/v1/parts?limit=1${'&'.repeat(199)}`, {}, 200],
    ['201 parameters', `/api/v1/parts?limit=1${'&'.repeat(200)}`, {}, 400],
    ['thousands of parameters', `/api/v1/me?${'a&'.repeat(6000)}`, {}, 400],
  ])('gets its answer at once: %s', async (_what, path, headers, status) => {
    const answer = await get(path, headers);

    expect(answer.status).toBe(status);
    if (status === 400)
      expect(await answer.json()).toMatchObject({ code: 'bad_parameter', status });
  });
});

it('names the client and the proxy in the log of a request that a proxy forwarded', async () => {
  await get('/api/v1/resources', { 'x-forwarded-for': '203.0.113.9, 192.0.2.7:4711, 127.0.0.2' });
  await get('/api/v1/resources');

  const lines = () => face.log().match(/.*"url":"\/api\/v1\/resources".*/g) ?? [];
  await until('both lines', () => lines().length === 2);
  const [forwarded, direct] = lines().map((line) => JSON.parse(line));
  expect(forwarded).toMatchObject({ client: '192.0.2.7', peer: '127.0.0.1' });
  expect(direct).toMatchObject({ peer: '127.0.0.1' });
  expect(direct).not.toHaveProperty('client');
});
