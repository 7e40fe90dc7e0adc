import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { createHeads } from '../../../src/http/request/heads.ts';

/** Serves one small answer for every request, its head written at the times that `nextMs` gives. */
async function serve(
  nextMs: () => number,
  page: boolean,
  seen = (res: ServerResponse) => res,
): Promise<number> {
  const writeHead = createHeads(['Strict-Transport-Security', 'max-age=1']);
  const server = createServer((req, res) => {
    const headers = ['ETag', '"ä"', 'X-Request-Id', 'r', 'Content-Length', '3'];
    if (req.url === '/closes') headers.push('Connection', 'close');
    writeHead(seen(res), { status: req.url === '/lost' ? 404 : 200, page }, headers, nextMs());
    if (req.method !== 'HEAD') res.write('yes');
    res.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // of a TCP server
}

/** All bytes that a connection gives for some requests, the last of which closes it. */
function answersTo(port: number, requests: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('latin1').end(requests.map((head) => `${head}\r\n\r\n`).join(''));
  return text(socket);
}

const date = /^Date: (.*)\r$/gm;
const requests = [
  'GET / HTTP/1.1\r\nHost: a',
  'GET /lost HTTP/1.1\r\nHost: a',
  'HEAD / HTTP/1.1\r\nHost: a',
  'GET / HTTP/1.0\r\nConnection: keep-alive',
];
const closing = [
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: close',
  'GET / HTTP/1.0',
  'GET /closes HTTP/1.1\r\nHost: a',
];

it.each([false, true])('writes the same heads as Node does (of a page: %s)', async (page) => {
  let nowMs = 0;
  const byNode = await serve(() => (nowMs += 100), page);
  const byUs = await serve(() => 0, page);
  for (const last of closing) {
    const all = [...requests, ...requests, last];
    const [expected, got] = [await answersTo(byNode, all), await answersTo(byUs, all)];
    expect(expected.match(date)).toHaveLength(all.length);
    expect(got.replace(date, 'Date')).toBe(expected.replace(date, 'Date'));
    expect(got.match(/^Connection: .*\r$/gm)).toEqual([
      ...Array.from({ length: 8 }, () => 'Connection: keep-alive\r'),
      'Connection: close\r',
    ]);
  }
});

it('lets Node write a head again after a tenth of a second, so that the date goes on', async () => {
  const times = [0, 99, 100];
  const port = await serve(() => times.shift() ?? 0, false);
  const dateOf = async () =>
    Date.parse(
      (await answersTo(port, ['HEAD / HTTP/1.1\r\nHost: a'])).match(/^Date: (.*)\r$/m)?.[1] ?? '',
    );
  const began = await dateOf();
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect(await dateOf()).toBe(began);
  expect(await dateOf()).toBeGreaterThan(began);
});

it('lets Node write every head if it does not read what is put there', async () => {
  let nowMs = 0;
  const byNode = await serve(() => (nowMs += 100), false);
  const elsewhere = await serve(
    () => 0,
    false,
    (res) => {
      return new Proxy(res, {
        set: (target, name, value) => name === '_header' || Reflect.set(target, name, value),
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    },
  );
  const all = [...requests, ...requests, 'GET / HTTP/1.0'];
  const got = await answersTo(elsewhere, all);
  expect(got.match(date)).toHaveLength(all.length);
  expect(got.replace(date, 'Date')).toBe((await answersTo(byNode, all)).replace(date, 'Date'));
});
