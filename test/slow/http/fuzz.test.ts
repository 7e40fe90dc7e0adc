import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resources } from '../../../src/resources/index.ts';
import { codePoint } from '../../code-points.ts';
import { bareApp, type Face } from '../../http/faces.ts';
import { HttpPlant } from '../../http/plant.ts';

let plant: HttpPlant;
let face: Face;
let secret: string;
beforeAll(async () => {
  plant = await HttpPlant.open();
  face = bareApp(plant);
  secret = (await plant.key()).secret;
});
afterAll(() => plant.domain.store.close());

const junk = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 40 }),
  fc.constantFrom(
    '',
    '%',
    '%00',
    '..',
    '__proto__',
    'constructor',
    "' or 1=1--",
    '9e999',
    '-1',
    '\u0000',
  ),
);

/** Only documented statuses, as of every answer of a face; never a 500. */
async function requireNoFault(path: string, init: RequestInit): Promise<void> {
  const response = await face.fetch(path, init);
  expect(response.status, path).toBeLessThan(500);
}

const headers = (more: Record<string, string> = {}) => ({
  authorization: `Bearer ${secret}`,
  ...more,
});

it('queries', { timeout: 120_000 }, async () => {
  const names = [
    'limit',
    'cursor',
    'updated_since',
    'received_date',
    'received_date_week',
    'received_date_from',
    'from',
    'to',
    'bucket',
    'agg',
    'part_number',
    'status',
  ];
  const paths = [
    ...resources.map(({ name }) => `/api/v1/${name}`),
    '/api/v1/sensors/SE-1001/readings',
    '/api/v1/me',
  ];
  const values = fc.oneof(
    junk,
    fc.constantFrom(
      '1',
      '500',
      '2026-02-29',
      '2026-11-20',
      '2026-11-20T08:15:00Z',
      'true',
      '5m',
      'avg',
      'W10',
      '0001-01-01',
      '9999-12-31',
    ),
  );
  const parameter = fc.tuple(fc.oneof(fc.constantFrom(...names), junk), values);
  const query = fc.array(parameter, { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      query,
      fc.boolean(),
      async (path, parameters, isEncoded) => {
        const encode = (text: string) =>
          isEncoded
            ? encodeURIComponent(text.replace(/[\ud800-\udfff]/g, ''))
            : text.replace(/[#\s]/g, '');
        const text = parameters
          .map(([name, value]) => `${encode(name)}=${encode(value)}`)
          .join('&');
        await requireNoFault(`${path}?${text}`, { headers: headers() });
      },
    ),
    { numRuns: 600 },
  );
});

it('paths', { timeout: 60_000 }, async () => {
  const segment = fc.oneof(
    junk,
    fc.constantFrom('api', 'v1', 'parts', 'sensors', 'readings', 'P-1001', '%2e%2e', '%2F'),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(segment, { maxLength: 6 }),
      fc.constantFrom('GET', 'PUT', 'HEAD', 'OPTIONS'),
      async (segments, method) => {
        const path = `/${segments.map((text) => text.replace(/[?#\s\\]/g, '')).join('/')}`.replace(
          /^\/+/,
          '/',
        );
        const response = await face.fetch(path, { method, headers: headers() });
        expect([200, 304, 400, 404, 405]).toContain(response.status);
      },
    ),
    { numRuns: 600 },
  );
});

it('headers', { timeout: 60_000 }, async () => {
  const value = fc
    .oneof(
      fc.string({ maxLength: 60 }),
      fc.constantFrom('gzip;q=x', '*;q=0', 'W/"', '"', '*', ',,,', 'text/*;q=9', 'br, gzip', ';;'),
    )
    .map((text) => text.replace(/[^\x20-\x7e]/g, ''));
  const name = fc.constantFrom(
    'accept',
    'accept-encoding',
    'if-none-match',
    'authorization',
    'content-type',
    'origin',
    'x-forwarded-for',
    'forwarded',
    'range',
    'if-match',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('/api/v1/me', '/api/v1/parts', '/api/v1/sensors/SE-1001/readings'),
      fc.dictionary(name, value),
      (path, given) => requireNoFault(path, { headers: headers(given) }),
    ),
    { numRuns: 600 },
  );
});

it('bodies', { timeout: 120_000 }, async () => {
  const reading = fc.record(
    {
      sensor: fc.oneof(junk, fc.constant('SE-1001')),
      at: fc.oneof(junk, fc.double(), fc.integer(), fc.constant('2026-11-20T08:15:00Z')),
      value: fc.anything(),
      unit: junk,
      quality: junk,
    },
    { requiredKeys: [] },
  );
  const shape = fc.oneof(
    fc.jsonValue(),
    fc.record({ readings: fc.array(fc.oneof(reading, fc.jsonValue()), { maxLength: 5 }) }),
    fc.record({ heartbeats: fc.array(fc.jsonValue(), { maxLength: 5 }) }),
    fc.array(
      fc.dictionary(
        fc.constantFrom('bn', 'bt', 'bu', 'bv', 'n', 't', 'u', 'v', 'vb', 'vs', 'x_', 'bver'),
        fc.jsonValue(),
      ),
    ),
  );
  const text = fc.oneof(
    shape.map(
      (value) =>
        JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ??
        '',
    ),
    junk,
  );
  const types = fc.constantFrom(
    'application/json',
    'application/x-ndjson',
    'application/senml+json',
    'Application/JSON; charset=utf-8',
    'text/plain',
  );
  const paths = fc.constantFrom('/api/v1/sensors/readings', '/api/v1/sensors/heartbeats');
  await fc.assert(
    fc.asyncProperty(
      paths,
      types,
      text,
      fc.constantFrom('plain', 'gzip', 'cut'),
      async (path, type, body, coding) => {
        const packed = coding === 'plain' ? Buffer.from(body) : gzipSync(body);
        const bytes = coding === 'cut' ? packed.subarray(0, -6) : packed;
        const more: Record<string, string> =
          coding === 'plain' ? {} : { 'content-encoding': 'gzip' };
        await requireNoFault(path, {
          method: 'POST',
          headers: headers({ 'content-type': type, ...more }),
          body: new Uint8Array(bytes),
        });
      },
    ),
    { numRuns: 600 },
  );
});

it('pollutes no prototype', async () => {
  const evil = '{"__proto__":{"value":1},"constructor":{"prototype":{"value":1}}';
  for (const body of [
    `{"readings":[${evil},"sensor":"SE-1001","at":1,"__proto__":{"quality":"good"}}]}`,
    `{"__proto__":[],"readings":[]}`,
    `{"__proto__":[]}`,
    `{"readings":{"__proto__":[]}}`,
  ]) {
    for (const path of ['/api/v1/sensors/readings', '/api/v1/sensors/heartbeats']) {
      await requireNoFault(path, {
        method: 'POST',
        headers: headers({ 'content-type': 'application/json' }),
        body,
      });
    }
  }
  const senml = `[{"bn":"SE-1001","n":"","v":1,"__proto__":{"t":1}}]`;
  const type = { 'content-type': 'application/senml+json' };
  await requireNoFault('/api/v1/sensors/readings', {
    method: 'POST',
    headers: headers(type),
    body: senml,
  });
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>).value).toBeUndefined();
});

it('leaves no trace of the key in the log', () => {
  expect(face.log()).not.toContain(secret.slice(8, 20));
});
