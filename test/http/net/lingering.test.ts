import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ServeOptions } from '../../../src/http/server.ts';
import { call } from '../../e2e/client.ts';
import { pause, until } from '../../e2e/program.ts';
import { makeCertificate } from '../certificates.ts';
import { type Face, listening } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

const MiB = 1024 * 1024;
const path = '/api/v1/sensors/readings';

let plant: HttpPlant;
let secret: string;
let reader: string;
let folder: string;
let certificate: { tlsCert: string; tlsKey: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-lingering-'));
  certificate = await makeCertificate(folder, 'server');
  plant = await HttpPlant.open();
  secret = (await plant.key()).secret;
  reader = (await plant.key({ permissions: ['parts.view'] })).secret;
});
afterAll(async () => {
  await plant.domain.store.close();
  rmSync(folder, { recursive: true });
});

type Served = Face & { url: string };

async function serve(limits: ServeOptions['limits'] = {}, change = {}): Promise<Served> {
  const face = await listening(plant, change, { checkEveryMs: 20, ...limits });
  onTestFinished(() => face.close());
  return face;
}

function open({ url }: Served): Socket {
  const { port, protocol } = new URL(url);
  const address = { host: '127.0.0.1', port: Number(port), rejectUnauthorized: false };
  const client = protocol === 'https:' ? connectTls(address) : connect(address);
  onTestFinished(() => void client.destroy());
  return client;
}

interface Head {
  target?: string;
  key?: string | null;
  type?: string;
  length?: number;
  more?: string;
}

/** A head with which the connection closes after the answer, as those of `requests` and of Node without an agent. */
function post({
  target = path,
  key = secret,
  type = 'application/json',
  length,
  more = '',
}: Head): string {
  const authorization = key === null ? '' : `Authorization: Bearer ${key}\r\n`;
  const framing = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  return `POST ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\n${authorization}${more}${framing}\r\n\r\n`;
}

const piece = ' '.repeat(65_536);

/** Writes all of a request before it reads anything, and gives what came then until the connection was closed. */
async function writeThenRead(client: Socket, head: Head, bytes: number): Promise<string> {
  let fault = '';
  client.on('error', ({ message }) => {
    fault ||= message;
  });
  client.pause();
  const write = (text: string) =>
    new Promise<void>((resolve) => {
      client.write(text, 'latin1', () => resolve());
    });
  const isChunked = head.length === undefined;
  await write(post(head));
  for (let sent = 0; sent < bytes && fault === ''; sent += piece.length) {
    await write(isChunked ? `10000\r\n${piece}\r\n` : piece);
  }
  if (isChunked) await write('0\r\n\r\n');
  if (fault !== '') return fault;
  let text = '';
  client.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  client.resume();
  await once(client, 'close');
  return fault || text;
}

const statusOf = (text: string) => /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? text;

describe('a client that reads only once it has written its whole body gets', () => {
  it.each<[string, Head, number]>([
    ['413', {}, 9 * MiB],
    ['413', { length: 9 * MiB }, 9 * MiB],
    ['401', { key: null }, 2 * MiB],
    ['401', { key: null, length: 2 * MiB }, 2 * MiB],
    [
      '403',
      {
        get key() {
          return reader;
        },
      },
      4 * MiB,
    ],
    ['404', { target: '/nope' }, 2 * MiB],
    ['405', { target: '/api/v1/me' }, 2 * MiB],
    ['415', { type: 'text/plain' }, 2 * MiB],
    ['400', { more: 'Host: b\r\n' }, 2 * MiB],
  ])('%s: %o', async (status, head, bytes) => {
    const face = await serve();
    expect(statusOf(await writeThenRead(open(face), head, bytes))).toBe(status);
  });

  it.each<[string, Head, number]>([
    ['413', {}, 9 * MiB],
    ['401', { key: null }, 2 * MiB],
  ])('%s over TLS', async (status, head, bytes) => {
    const face = await serve({}, certificate);
    expect(statusOf(await writeThenRead(open(face), head, bytes))).toBe(status);
  });

  it('429', async () => {
    const face = await serve({}, { limitIngest: { requests: 1, windowSeconds: 60 } });
    expect((await call(face.url + path, { secret, body: { readings: [] } })).status).toBe(200);
    expect(statusOf(await writeThenRead(open(face), {}, 4 * MiB))).toBe('429');
  });

  it('503', async () => {
    const face = await serve({ bodyBytes: MiB });
    expect(statusOf(await writeThenRead(open(face), {}, 4 * MiB))).toBe('503');
  });
});

/** A connection that was answered before its body has ended, and goes on as `next` says every 20 ms. */
async function lingering(
  face: Served,
  next: string,
): Promise<{ isClosed: boolean; received: string }> {
  const client = open(face);
  const seen = { isClosed: false, received: '' };
  client.on('error', () => {});
  client.on('data', (chunk) => {
    seen.received += chunk.toString('latin1');
  });
  client.on('close', () => {
    seen.isClosed = true;
  });
  client.write(post({ key: null, length: 4 * MiB }));
  await until('it is answered', () => seen.received.includes('request_id'));
  const timer = setInterval(() => client.write(next), 20);
  onTestFinished(() => clearInterval(timer));
  return seen;
}

const metric = async ({ url }: Served, name: string) =>
  Number(
    new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\d+)$`, 'm').exec(
      (await call(`${url}/metrics`)).text,
    )?.[1],
  );

describe('a connection whose body comes after the answer', () => {
  it('is closed where nothing more comes, and where it goes on for too long', async () => {
    const face = await serve({ lingerIdleMs: 150, lingerMs: 1_500 });
    const startedAt = performance.now();
    const [silent, dripping] = [await lingering(face, ''), await lingering(face, ' ')];
    await until('the silent one is closed', () => silent.isClosed);
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    expect(dripping.isClosed).toBe(false);
    await until('the other one is closed', () => dripping.isClosed);
    expect(performance.now() - startedAt).toBeGreaterThan(1_500);
    expect(dripping.received.match(/HTTP/g)).toHaveLength(1);
    expect(await metric(face, 'hkctl_connections_dropped_total{reason="lingering"}')).toBe(2);
  });

  it('stays open where the body ends, and serves the next request', async () => {
    const face = await serve({ lingerIdleMs: 50, lingerMs: 100 });
    const client = open(face);
    let received = '';
    client.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    client.write(`${post({ key: null, length: 4 }).replace('Connection: close\r\n', '')}{`);
    await until('it is answered', () => received.includes('request_id'));
    client.write('}  ');
    await pause(200);
    client.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await until('the next one is answered', () => received.includes('HTTP/1.1 200'));
  });

  it('counts among all connections, and makes way for others', async () => {
    const face = await serve({ connections: 3 });
    const many = [
      await lingering(face, ' '),
      await lingering(face, ' '),
      await lingering(face, ' '),
    ];
    expect((await call(`${face.url}/api/v1/me`, { secret })).status).toBe(200);
    await until('one is closed', () => many.some(({ isClosed }) => isClosed));
  });

  it('is closed soon where the daemon ends', async () => {
    const face = await serve();
    const dripping = await lingering(face, ' ');
    await pause(50);
    const startedAt = performance.now();
    await face.close();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(face.log()).not.toContain('answers in progress took too long');
    await until('it is closed', () => dripping.isClosed);
  });

  it('gets no second answer where it turns out to be no HTTP', async () => {
    const face = await serve();
    const client = open(face);
    let received = '';
    client.on('error', () => {});
    client.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    client.write(post({ key: null }));
    await until('it is answered', () => received.includes('request_id'));
    client.write('nonsense\r\n');
    await once(client, 'close');
    expect(received.match(/HTTP/g)).toHaveLength(1);
  });
});
