import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiCodes } from '../../../src/http/answers/problem.ts';
import { call } from '../../e2e/client.ts';
import type { Face } from '../faces.ts';
import type { HttpPlant } from '../plant.ts';
import { servedPlant } from '../served-plant.ts';

let plant: HttpPlant;
let face: Face & { url: string };
let secret: string;
let port: number;
beforeAll(async () => {
  ({ plant, face, secret } = await servedPlant());
  port = Number(new URL(face.url).port);
});

/** Sends bytes as they are and gives all that came back until the server ended the connection or stayed silent. */
function send(bytes: string | Buffer, silentMs = 400): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    let timer: NodeJS.Timeout | undefined;
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    const wait = (): void => {
      clearTimeout(timer);
      timer = setTimeout(end, silentMs);
    };
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      wait();
    });
    socket.on('error', end);
    socket.on('close', end);
    wait();
  });
}

const statusesOf = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
const auth = () => `Authorization: Bearer ${secret}`;

describe('what is no clean HTTP', () => {
  const post =
    'POST /api/v1/sensors/readings HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  const smuggled = 'GET /api/v1/me HTTP/1.1\r\nHost: a\r\n\r\n';
  const last = smuggled.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const empty = '{"readings":[]}';
  const long = 'x'.repeat(2_000_000);
  const chunked = (body: string, coding = 'chunked') =>
    `${post}${auth()}\r\nTransfer-Encoding: ${coding}\r\n\r\n${body}`;
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => `a${index}:b\r\n`).join('');
  const get = (target: string, more = '') =>
    `GET ${target} HTTP/1.1\r\nHost: a\r\n${more}${auth()}\r\n\r\n`;

  it.each([
    [
      'both lengths',
      () =>
        `${post}${auth()}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'two lengths',
      () => `${post}${auth()}\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n{}  ${smuggled}`,
    ],
    ['a length with a sign', () => `${post}${auth()}\r\nContent-Length: +4\r\n\r\n{}  `],
    [
      'chunked and something else',
      () => `${post}${auth()}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'chunked twice',
      () => `${post}${auth()}\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'a chunk size of no number',
      () => `${post}${auth()}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    ],
    ['a bare LF', () => `GET /api/v1/me HTTP/1.1\nHost: a\n${auth()}\n\n`],
    [
      'a blank before the colon',
      () => `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nAuthorization : Bearer ${secret}\r\n\r\n`,
    ],
    [
      'a folded header',
      () => `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer\r\n ${secret}\r\n\r\n`,
    ],
    [
      'a control byte',
      () => `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \x01${secret}\r\n\r\n`,
    ],
    ['a zero byte', () => `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n${auth()}\r\n\r\n`],
    [
      '64 KB of header',
      () => `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(65_536)}\r\n${auth()}\r\n\r\n`,
    ],
    ['64 KB of path', () => `GET /${'x'.repeat(65_536)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    [
      'a length before chunked',
      () =>
        `${post}${auth()}\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG${smuggled}`,
    ],
    [
      'the same length twice',
      () => `${post}${auth()}\r\n${'Content-Length: 15\r\n'.repeat(2)}\r\n${empty}${smuggled}`,
    ],
    [
      'a list of lengths',
      () => `${post}${auth()}\r\nContent-Length: 15, 15\r\n\r\n${empty}${smuggled}`,
    ],
    [
      'a length beyond numbers',
      () => `${post}${auth()}\r\nContent-Length: ${'9'.repeat(40)}\r\n\r\n${smuggled}`,
    ],
    ['another coding below chunked', () => chunked('0\r\n\r\n', 'gzip, chunked') + smuggled],
    [
      'chunked in two headers',
      () => chunked('0\r\n\r\n', 'chunked\r\nTransfer-Encoding: identity') + smuggled,
    ],
    ['chunked behind a vertical tab', () => chunked('0\r\n\r\n', '\x0bchunked') + smuggled],
    [
      'chunked with HTTP/1.0',
      () => chunked(`f\r\n${empty}\r\n0\r\n\r\n`).replace('/1.1', '/1.0') + smuggled,
    ],
    [
      'chunked with HTTP/1.0 and nothing behind',
      () => chunked(`f\r\n${empty}\r\n0\r\n\r\n`).replace('/1.1', '/1.0'),
    ],
    ['chunks with bare LF', () => chunked(`f\n${empty}\n0\n\n`) + smuggled],
    ['an extension with bare LF', () => chunked(`f;\n${empty}\r\n0\r\n\r\n`) + smuggled],
    ['a chunk longer than it says', () => chunked(`e\r\n${empty}\r\n0\r\n\r\n`) + smuggled],
    ['a chunk size with a sign', () => chunked(`+f\r\n${empty}\r\n0\r\n\r\n`) + smuggled],
    [
      'a chunk size beyond numbers',
      () => chunked(`${'F'.repeat(17)}\r\n${empty}\r\n0\r\n\r\n`) + smuggled,
    ],
    ['a chunk extension of 2 MB', () => chunked(`f;a=${long}\r\n${empty}\r\n0\r\n\r\n`)],
    ['a trailer of 2 MB', () => chunked(`f\r\n${empty}\r\n0\r\nX: ${long}\r\n\r\n`)],
    [
      'a hundred thousand trailers',
      () => chunked(`f\r\n${empty}\r\n0\r\n${'X: a\r\n'.repeat(100_000)}\r\n`),
    ],
    ['a length in the trailer', () => chunked(`f\r\n${empty}\r\n0\r\nContent-Length: 5\r\n\r\n`)],
    ['HTTP/0.9', () => 'GET /api/v1/me\r\n\r\n'],
    ['HTTP/1.2', () => `GET /api/v1/me HTTP/1.2\r\nHost: a\r\n${auth()}\r\n\r\n`],
    ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['two hosts', () => get('/api/v1/me', 'Host: b\r\n')],
    ['a host with a path', () => `GET /nope HTTP/1.1\r\nHost: a/api/v1/me?\r\n${auth()}\r\n\r\n`],
    ['a host of another shape', () => `GET /nope HTTP/1.1\r\nHost: a"><b\r\n${auth()}\r\n\r\n`],
    ['dots in the path', () => get('/api/v1/x/../me')],
    ['dots at the end of the path', () => get('/api/v1/me/x/..')],
    ['encoded dots in the path', () => get('/api/v1/x/%2e%2E/me')],
    ['dots in a whole address', () => get('http://a/api/v1/./me')],
    ['backslashes in the path', () => get('/api\\v1\\me')],
    ['the target of another scheme', () => get('ftp://a/api/v1/me')],
    ['the target of a scheme without slashes', () => get('http:/api/v1/me')],
    ['the target of another program', () => get('mailto:a@b')],
    ['a path without its slash', () => get('api/v1/me')],
    ['a fragment', () => get('/api/v1/me#x')],
    ['a bare CR', () => get('/api/v1/me', 'X: a\rb\r\n')],
    ['a name without a colon', () => get('/api/v1/me', 'name\r\n')],
    ['a header without a name', () => get('/api/v1/me', ': value\r\n')],
    ['a method in lower case', () => get('/api/v1/me').replace('GET', 'get')],
    ['CONNECT', () => `CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['no host', () => `GET /api/v1/me HTTP/1.1\r\n${auth()}\r\n\r\n`],
    ['TLS', () => Buffer.from('16030100c8010000c40303', 'hex').toString('latin1')],
    ['nothing known', () => 'HELP\r\n\r\n'],
  ])('%s is refused, and no second request comes of it', async (_, bytes) => {
    const text = await send(Buffer.from(bytes(), 'latin1'));
    const statuses = statusesOf(text);
    expect(statuses, text).toHaveLength(1);
    expect([400, 401, 405, 413, 431]).toContain(statuses[0]);
    expect(text).not.toContain(secret.slice(8));
    // Each has its document, also where no request came of it (contract, section 6).
    const problem = JSON.parse(text.slice(text.indexOf('{')));
    expect(problem).toMatchObject({ status: statuses[0], detail: /./, request_id: /./ });
    expect(apiCodes).toContain(problem.code);
    expect(text).toMatch(/^content-type: application\/problem\+json\r$/im);
    if (statuses[0] === 405) expect(text).toMatch(/^Allow: GET, HEAD, POST\r$/m);
  });

  it.each([
    ['a chunk extension', () => chunked(`f;a=b\r\n${empty}\r\n0\r\n\r\n`), [200, 401]],
    ['chunked in any case', () => chunked(`f\r\n${empty}\r\n0\r\n\r\n`, 'ChUnKeD'), [200, 401]],
    [
      'a request as the body of a GET',
      () => get('/api/v1/me', `Content-Length: ${smuggled.length}\r\n`) + smuggled,
      [200, 401],
    ],
    [
      'a request as the body of a refused POST',
      () =>
        `POST /nope HTTP/1.1\r\nHost: a\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      [404, 401],
    ],
    ['a whole address', () => get('http://b/api/v1/me'), [200, 401]],
    ['the server as a whole', () => get('*').replace('GET', 'OPTIONS'), [404, 401]],
    [
      'HTTP/1.0 kept alive',
      () => get('/api/v1/me', 'Connection: keep-alive\r\n').replace('/1.1', '/1.0'),
      [200, 401],
    ],
    ['an expectation', () => get('/api/v1/me', 'Expect: a-miracle\r\n'), [200, 401]],
    [
      'a prototype as a header',
      () => get('/api/v1/me', '__proto__: a\r\nconstructor: b\r\n'),
      [200, 401],
    ],
    ['1500 headers', () => get('/api/v1/me', many(1500)), [200, 401]],
    [
      'a key in the trailer',
      () => `${post}Transfer-Encoding: chunked\r\n\r\nf\r\n${empty}\r\n0\r\n${auth()}\r\n\r\n`,
      [401, 401],
    ],
  ])('%s is read as it is meant, and the next request is its own', async (_, bytes, statuses) => {
    const text = await send(bytes() + last);
    expect(statusesOf(text), text).toEqual(statuses);
  });

  it.each([
    ['//api/v1/me', 404],
    ['/api//v1/me', 404],
    ['/api%2fv1/me', 404],
    ['/api%252fv1/me', 404],
    ['/API/V1/ME', 404],
    ['/api/v1/me;a=b', 404],
    ['/api/v1/docs/..%2fpackage.json', 404],
    ['/api/v1/parts/%c0%af', 404],
    ['/api/v1/parts/%ed%a0%80', 404],
    ['/api/v1/parts/%00', 404],
    ['/api/v1/parts/__proto__', 404],
    ['/api/v1/__proto__', 404],
    ['/api/v1/constructor', 404],
    ['/api/v1/sensors/__proto__/readings', 404],
    ['/api/v1/sensors/constructor/readings', 404],
    ['/api/v1/parts?part_number=%c0%af', 400],
    ['/api/v1/parts?__proto__=1', 400],
    ['/api/v1/parts?__proto__[limit]=1', 400],
    ['/api/v1/parts?constructor=1', 400],
    ['/api/v1/sensors/SE-1001/readings?bucket=5m&agg=__proto__', 400],
  ])('%s is %i', async (target, status) => {
    expect(statusesOf(await send(get(target, 'Connection: close\r\n')))).toEqual([status]);
  });

  it('a proxy that adds its header behind a thousand others is still seen', async () => {
    const metrics = (more: string) =>
      `GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${more}\r\n`;
    expect(statusesOf(await send(metrics(many(1000))))).toEqual([200]);
    expect(statusesOf(await send(metrics(`${many(1000)}X-Forwarded-For: 9.9.9.9\r\n`)))).toEqual([
      404,
    ]);
  });

  it('a client that asks before it sends its body receives 100 Continue only once its key is valid', async () => {
    const asking = (key: string, more = '') =>
      `${post}Authorization: Bearer ${key}\r\nContent-Length: 15\r\nExpect: 100-continue\r\n${more}\r\n`;
    const wrong = await send(asking(`hk_${'A'.repeat(49)}`));
    expect(statusesOf(wrong)).toEqual([401]);
    expect(wrong).toMatch(/^Connection: close\r$/m);
    const { secret: reader } = await plant.key({ permissions: ['parts.view'] });
    expect(statusesOf(await send(asking(reader)))).toEqual([403]);
    const { secret: gateway } = await plant.key({ permissions: ['asset_sensors.ingest'] });
    expect(statusesOf(await send(asking(gateway)))).toEqual([100]);
    expect(statusesOf(await send(asking(gateway) + empty + last))).toEqual([100, 200, 401]);
    expect(statusesOf(await send(asking(gateway, 'Content-Encoding: br\r\n')))).toEqual([415]);
  });

  it('CONNECT behind a request is not taken for its answer', async () => {
    const text = await send(`${get('/api/v1/me')}CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(statusesOf(text).filter((status) => status !== 200)).toEqual([]);
    expect(statusesOf(await send(get('/api/v1/me', 'Connection: close\r\n')))).toEqual([200]);
  });

  it('what follows a request and is none is refused after its answer, not in its place', async () => {
    const { secret: gateway } = await plant.key({ permissions: ['asset_sensors.ingest'] });
    const stored = (at: number, more = '') => {
      const body = `{"readings":[{"sensor":"SE-1001","at":${plant.nowMs - 60_000 - at},"value":1}]}`;
      return `${post}Authorization: Bearer ${gateway}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
    };
    const rubbish = '\0\0\0rubbish\r\n\r\n';
    for (const [bytes, statuses] of [
      [stored(1) + rubbish, [200, 400]],
      [stored(2) + stored(3) + rubbish + rubbish, [200, 200, 400]],
      [stored(4, 'Connection: close\r\n') + smuggled, [200]],
      // The error is in the second request itself, whose body never ends.
      [`${stored(5)}${chunked('zz\r\n').replace(secret, gateway)}`, [200, 400]],
    ] as const) {
      const text = await send(bytes);
      expect(statusesOf(text), text).toEqual(statuses);
      expect(text).toContain('{"accepted":1,');
    }
  });

  it('more of it, while the answer is under way, costs nothing more', async () => {
    const { secret: gateway } = await plant.key({ permissions: ['asset_sensors.ingest'] });
    // Takes a while.
    const readings = Array.from({ length: 9999 }, () => `{"sensor":"${'x'.repeat(700)}"}`).join();
    const body = `{"readings":[${readings}]}`;
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => warnings.push(name);
    process.on('warning', onWarning);
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.write(
      `${post}Authorization: Bearer ${gateway}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const rubbish = setInterval(() => socket.write('\0'), 1);
    socket.on('end', () => clearInterval(rubbish));
    await once(socket, 'close');
    process.off('warning', onWarning);
    expect(statusesOf(text)).toEqual([200, 400]);
    expect(warnings).toEqual([]);
  });

  it('two Authorization headers are malformed', async () => {
    const text = await send(
      `GET /api/v1/me HTTP/1.1\r\nHost: a\r\n${auth()}\r\nauthorization: Bearer x\r\n\r\n`,
    );
    expect(text).toContain('"malformed_authorization"');
  });

  it.each(['/api/v1/me', '/api/v1/parts', '/api/v1/parts/P-1001', '/api/v1/docs', '/healthz'])(
    'a slash at the end of %s counts for nothing',
    async (path) => {
      const [without, withSlash] = await Promise.all(
        [path, `${path}/`].map((one) => call(face.url + one, { secret })),
      );
      expect(withSlash?.status).toBe(without?.status);
      // The page refers to what it needs by where it stands itself.
      if (path !== '/api/v1/docs') expect(withSlash?.text).toBe(without?.text);
      expect((await call(`${face.url}${path}//`, { secret })).status).toBe(404);
    },
  );

  it('pipelined requests are each checked and answered in order', async () => {
    const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${auth()}\r\n\r\n`;
    const text = await send(
      `${one('/api/v1/me')}${one('/nope')}${one('/api/v1/parts?limit=1')}${smuggled}`,
    );
    expect(statusesOf(text)).toEqual([200, 404, 200, 401]);
  });

  it('a body whose end comes later is read behind pipelined requests', async () => {
    const { secret: gateway } = await plant.key({ permissions: ['asset_sensors.ingest'] });
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    const head = `${post}Authorization: Bearer ${gateway}\r\nContent-Length: ${empty.length}\r\nConnection: close\r\n\r\n`;
    socket.write(get('/api/v1/me').repeat(8) + head + empty.slice(0, 5));
    while (statusesOf(text).length < 8) await new Promise((resolve) => setTimeout(resolve, 5));
    socket.write(empty.slice(5));
    await once(socket, 'close');
    expect(statusesOf(text)).toEqual(Array.from({ length: 9 }, () => 200));
  });

  it('an upgrade is not taken', async () => {
    const text = await send(
      `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${auth()}\r\n\r\n`,
    );
    expect(statusesOf(text)).toEqual([200]);
  });
});
