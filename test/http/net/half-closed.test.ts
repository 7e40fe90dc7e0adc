import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { atEndOfFile } from '../../ends.ts';
import { makeCertificate } from '../certificates.ts';
import { listening } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

const plant = await HttpPlant.open();
const folder = mkdtempSync(join(tmpdir(), 'hkctl-half-closed-'));
const plain = await listening(plant);
const encrypted = await listening(plant, await makeCertificate(folder, 'server'));
atEndOfFile(async () => {
  await plain.close();
  await encrypted.close();
  rmSync(folder, { recursive: true });
});
const { secret } = await plant.key();

const head = (line: string, more = '') =>
  `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\n${more}\r\n`;
const get = head('GET /api/v1/me');
const body = '{"readings":[]}';
const post = (length: number) =>
  head(
    'POST /api/v1/sensors/readings',
    `Content-Type: application/json\r\nContent-Length: ${length}\r\n`,
  ) + body;

/** Sends bytes and the end of the client's side, then reads until the daemon ends its own. */
async function answersTo(url: string, bytes: string): Promise<string[]> {
  const { port, protocol } = new URL(url);
  const address = { port: Number(port), host: '127.0.0.1', allowHalfOpen: true };
  const socket: Socket =
    protocol === 'https:'
      ? connectTls({ ...address, rejectUnauthorized: false })
      : connect(address);
  await once(socket, protocol === 'https:' ? 'secureConnect' : 'connect');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  socket.end(bytes);
  await once(socket, 'end');
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map((match) => match[1] ?? '');
}

describe.each([
  ['HTTP', plain.url],
  ['HTTPS', encrypted.url],
])('a client that ends its side and then reads, over %s', (_scheme, url) => {
  it.each([
    ['a request', get, ['200']],
    ['readings', post(body.length), ['200']],
    ['several requests', get + post(body.length) + get, ['200', '200', '200']],
    ['a page of buckets', head('GET /api/v1/sensors/OVEN-3-T1/readings?bucket=1m'), ['200']],
    ['half a body', post(1000), ['400']],
    ['half a head', 'GET / HT', ['400']],
    ['nothing', '', []],
  ])('gets all answers to %s', async (_what, bytes, statuses) => {
    expect(await answersTo(url, bytes)).toEqual(statuses);
  });
});
