import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/http/request/exchange.ts';
import { represent, toRepresentation } from '../../../src/http/request/representation.ts';
import { fileStore } from '../../store/stores.ts';
import { type Face, listening } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

let plant: HttpPlant;
let files: Awaited<ReturnType<typeof fileStore>>;
let face: Face & { url: string };
let secret: string;
beforeAll(async () => {
  files = await fileStore();
  plant = await HttpPlant.open(files.store);
  face = await listening(plant);
  secret = (await plant.key()).secret;
});
afterAll(async () => {
  await face.close();
  await files.remove();
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  face.fetch(path, {
    method,
    headers: { authorization: `Bearer ${secret}`, 'accept-encoding': 'identity', ...headers },
  });

describe('validators', () => {
  it('answer 304 for as long as nothing changed, for every coding', async () => {
    const first = await get('/api/v1/parts');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*', etag.replace(/"$/, '-gzip"')]) {
      const again = await get('/api/v1/parts', { 'if-none-match': known });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe('');
      expect(again.headers.get('etag')).toBe(etag);
      expect(again.headers.get('vary')).toBe('Authorization, Accept, Accept-Encoding');
    }
    expect((await get('/api/v1/parts', { 'if-none-match': '"x"' })).status).toBe(200);
    await plant.import('parts', plant.berlin, [
      { id: 'P-2000', name: 'Changed', part_number: 'PN-2000', is_active: true },
    ]);
    const after = await get('/api/v1/parts', { 'if-none-match': etag });
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(etag);
    expect(await after.text()).toContain('"Changed"');
  });

  it('differ by coding, and the bodies are the same', async () => {
    const plain = await (await get('/api/v1/parts')).text();
    const tags = new Set<string | null>();
    for (const [accepted, decode] of [
      ['gzip', gunzipSync],
      ['gzip;q=0.5, br', brotliDecompressSync],
      ['br;q=0, *', gunzipSync],
    ] as const) {
      const { headers, body } = await rawGet(`${face.url}/api/v1/parts`, accepted);
      expect(decode(body).toString()).toBe(plain);
      expect(Number(headers['content-length'])).toBe(body.length);
      tags.add(String(headers.etag));
    }
    expect(tags.size).toBe(2);
    expect(
      (await rawGet(`${face.url}/api/v1/parts`, 'identity, gzip;q=0.1')).headers[
        'content-encoding'
      ],
    ).toBeUndefined();
  });

  it('are kept apart by entity', async () => {
    const { secret: other } = await plant.key({ entity: plant.chicago });
    const theirs = await (
      await face.fetch('/api/v1/parts', { headers: { authorization: `Bearer ${other}` } })
    ).text();
    expect(JSON.parse(theirs).data.map(({ id }: { id: string }) => id)).toEqual(['P-9001']);
  });

  it('are kept apart by entity even where both have the same time zone', async () => {
    const secrets: string[] = [];
    for (const name of ['North', 'South']) {
      const { entity } = await plant.site();
      await plant.import('parts', entity, [
        { id: 'P-1', name, part_number: name, is_active: true },
      ]);
      secrets.push((await plant.key({ entity })).secret);
    }
    // The store does not change from here on, so the first entity's pages are cached when the second one requests its own.
    const read: unknown[] = [];
    for (const one of secrets) {
      const headers = { authorization: `Bearer ${one}` };
      for (const path of ['/api/v1/parts', '/api/v1/parts/P-1']) {
        const text = await (await face.fetch(path, { headers })).text();
        read.push(['North', 'South'].filter((name) => text.includes(name)));
      }
    }
    expect(read).toEqual([['North'], ['North'], ['South'], ['South']]);
  });
});

describe('If-Match', () => {
  const paths = [
    '/api/v1/parts',
    '/api/v1/orders/O-1001',
    '/api/v1/sensors',
    '/api/v1/sensors/SE-1001/readings',
    '/api/v1/readings?sensor=SE-1001&bucket=1h',
    '/api/v1/resources',
    '/api/v1/openapi.json',
  ];

  it.each(paths)('answers %s where it names its ETag, or any', async (path) => {
    for (const accepted of ['identity', 'gzip']) {
      const etag = (await get(path, { 'accept-encoding': accepted })).headers.get('etag') ?? '';
      for (const method of ['GET', 'HEAD']) {
        for (const wanted of [etag, `"x", ${etag}`, '*']) {
          const headers = { 'if-match': wanted, 'accept-encoding': accepted };
          expect((await get(path, headers, method)).status, `${method} ${wanted}`).toBe(200);
        }
      }
      const known = await get(path, {
        'if-match': etag,
        'if-none-match': etag,
        'accept-encoding': accepted,
      });
      expect(known.status).toBe(304);
    }
  });

  it.each([...paths, '/api/v1/me', '/api/v1/docs'])(
    'refuses %s where it names another ETag',
    async (path) => {
      const etag = (await get(path)).headers.get('etag') ?? '';
      for (const wanted of ['"x"', `W/${etag.replace('W/', '')}`, '', etag.replaceAll('"', '')]) {
        const response = await get(path, { 'if-match': wanted });
        expect(await response.json(), wanted).toMatchObject({
          status: 412,
          code: 'precondition_failed',
          detail: 'If-Match names no ETag of this answer. Read it without If-Match.',
        });
        expect(response.status).toBe(412);
        for (const seen of ['*', etag]) {
          const both = { 'if-match': wanted, 'if-none-match': seen };
          expect((await get(path, both)).status).toBe(412);
        }
        expect((await get(path, { 'if-match': wanted }, 'HEAD')).status).toBe(412);
      }
    },
  );

  it('does not change a refusal, and If-Unmodified-Since is ignored', async () => {
    expect((await get('/api/v1/parts/none', { 'if-match': '"x"' })).status).toBe(404);
    const since = { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' };
    expect((await get('/api/v1/parts', since)).status).toBe(200);
  });

  it('on sent readings stores none of them', async () => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const body = '{"readings":[{"sensor":"OVEN-3-T1","at":"2026-11-19T07:07:07Z","value":1}]}';
    const post = (more: Record<string, string>) =>
      face.fetch('/api/v1/sensors/readings', {
        method: 'POST',
        headers: { ...headers, ...more },
        body,
      });
    for (const wanted of ['*', '"x"'])
      expect((await post({ 'if-match': wanted })).status).toBe(412);
    expect(await (await post({})).json()).toMatchObject({ accepted: 1, duplicates: 0 });
  });
});

describe('a compression that failed', () => {
  it('is tried again for the next request', async () => {
    const page = toRepresentation('x'.repeat(2000));
    page.codings.set('gzip', Promise.reject(new Error('no memory')));
    // The function reads only the headers of the exchange.
    const exchange = {
      header: (name: string) => (name === 'accept-encoding' ? 'gzip' : undefined),
    } as Exchange;
    await expect(represent(exchange, page)).rejects.toThrow('no memory');
    expect(await represent(exchange, page)).toMatchObject({ status: 200 });
  });
});

describe('HEAD', () => {
  it.each([
    '/api/v1/parts?limit=3',
    '/api/v1/orders/O-1001',
    '/api/v1/sensors',
    '/api/v1/openapi.json',
    '/api/v1',
  ])('%s has the headers of GET and no body', async (path) => {
    const [head, full] = [await get(path, {}, 'HEAD'), await get(path)];
    const body = await full.text();
    expect(await head.text()).toBe('');
    for (const name of ['content-type', 'etag', 'link', 'vary', 'cache-control']) {
      expect(head.headers.get(name)).toBe(full.headers.get(name));
    }
    expect(Number(head.headers.get('content-length'))).toBe(Buffer.byteLength(body));
  });
});

/** fetch() decompresses by itself; this returns the bytes on the wire. */
async function rawGet(url: string, accepted: string) {
  const { request } = await import('node:http');
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      const outgoing = request(
        url,
        { headers: { authorization: `Bearer ${secret}`, 'accept-encoding': accepted } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({ headers: response.headers, body: Buffer.concat(chunks) }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end();
    },
  );
}
