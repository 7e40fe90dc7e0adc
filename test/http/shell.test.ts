import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../e2e/client.ts';
import { type Face, listening } from './faces.ts';
import { HttpPlant } from './plant.ts';

let plant: HttpPlant;
let face: Face & { url: string };
let secret: string;
let port: number;
beforeAll(async () => {
  plant = await HttpPlant.open();
  face = await listening(plant);
  secret = (await plant.key()).secret;
  port = Number(new URL(face.url).port);
});
afterAll(async () => {
  await face.close();
  await plant.domain.store.close();
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

const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
const auth = () => `Authorization: Bearer ${secret}`;

describe('what is no clean HTTP', () => {
  const post = 'POST /api/v1/sensors/readings HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  const smuggled = 'GET /api/v1/me HTTP/1.1\r\nHost: a\r\n\r\n';

  it.each([
    [
      'both lengths',
      () => `${post}${auth()}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    ['two lengths', () => `${post}${auth()}\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n{}  ${smuggled}`],
    ['a length with a sign', () => `${post}${auth()}\r\nContent-Length: +4\r\n\r\n{}  `],
    ['chunked and something else', () => `${post}${auth()}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['chunked twice', () => `${post}${auth()}\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`],
    ['a chunk size of no number', () => `${post}${auth()}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['a bare LF', () => `GET /api/v1/me HTTP/1.1\nHost: a\n${auth()}\n\n`],
    [
      'a blank before the colon',
      () => `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nAuthorization : Bearer ${secret}\r\n\r\n`,
    ],
    ['a folded header', () => `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer\r\n ${secret}\r\n\r\n`],
    ['a control byte', () => `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \x01${secret}\r\n\r\n`],
    ['a zero byte', () => `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n${auth()}\r\n\r\n`],
    ['64 KB of header', () => `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(65_536)}\r\n${auth()}\r\n\r\n`],
    ['64 KB of path', () => `GET /${'x'.repeat(65_536)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['no host', () => `GET /api/v1/me HTTP/1.1\r\n${auth()}\r\n\r\n`],
    ['TLS', () => Buffer.from('16030100c8010000c40303', 'hex').toString('latin1')],
    ['nothing known', () => 'HELP\r\n\r\n'],
  ])('%s is refused, and no second request comes of it', async (_, bytes) => {
    const text = await send(Buffer.from(bytes(), 'latin1'));
    const statuses = statusesOf(text);
    expect(statuses.length, text).toBeLessThanOrEqual(1);
    if (statuses[0] !== undefined) expect([400, 401, 431]).toContain(statuses[0]);
    expect(text).not.toContain(secret.slice(8));
  });

  it('two Authorization headers are malformed', async () => {
    const text = await send(`GET /api/v1/me HTTP/1.1\r\nHost: a\r\n${auth()}\r\nauthorization: Bearer x\r\n\r\n`);
    expect(text).toContain('"malformed_authorization"');
  });

  it('pipelined requests are each judged and answered in order', async () => {
    const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${auth()}\r\n\r\n`;
    const text = await send(`${one('/api/v1/me')}${one('/nope')}${one('/api/v1/parts?limit=1')}${smuggled}`);
    expect(statusesOf(text)).toEqual([200, 404, 200, 401]);
  });

  it('an upgrade is not taken', async () => {
    const text = await send(
      `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${auth()}\r\n\r\n`,
    );
    expect(statusesOf(text)).toEqual([200]);
  });
});

describe('those who hold connections', () => {
  it('for headers that never end are cut, while others are served', { timeout: 40_000 }, async () => {
    const sockets: Socket[] = [];
    const closed: number[] = [];
    for (let i = 0; i < 100; i++) {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET /api/v1/me HTTP/1.1\r\nHost: a\r\n'));
      socket.on('error', () => {});
      socket.on('close', () => closed.push(i));
      sockets.push(socket);
    }
    const drip = setInterval(() => {
      for (const socket of sockets) if (!socket.destroyed) socket.write('X-A: b\r\n');
    }, 1000);
    const startedAt = Date.now();
    while (closed.length < 100 && Date.now() - startedAt < 30_000) {
      expect((await call(`${face.url}/api/v1/me`, { secret })).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    clearInterval(drip);
    expect(closed.length).toBe(100);
    expect(Date.now() - startedAt).toBeLessThan(15_000);
  });

  it('end early with 413 where they announce or send too much', async () => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const announced = await new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request(`${face.url}/api/v1/sensors/readings`, {
        method: 'POST',
        headers: { ...headers, 'content-length': 9_000_000_000 },
      });
      outgoing.on('response', (response) => {
        resolve(response.statusCode);
        outgoing.destroy();
      });
      outgoing.on('error', reject);
      outgoing.write('{');
    });
    expect(announced).toBe(413);
  });
});

it('drains: what is under way is answered, what comes after is refused, then the port is closed', async () => {
  const own = await listening(plant);
  const { port: ownPort } = new URL(own.url);
  const body = JSON.stringify({ readings: [] });
  const head =
    `POST /api/v1/sensors/readings HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const socket = connect(Number(ownPort), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const gone = new Promise((resolve) => socket.on('close', resolve));
  socket.write(head);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const closed = own.close();
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.write(body);
  await gone;
  expect(statusesOf(text)).toEqual([200]);
  await closed;
  await expect(call(`${own.url}/healthz`)).rejects.toThrow();
});
