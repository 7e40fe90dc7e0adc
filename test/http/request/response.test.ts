import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { Slices } from '../../../src/http/fairness/slices.ts';
import { sendPieces } from '../../../src/http/request/response.ts';

it('sends a large answer in pieces, between which others are served', async () => {
  const body = Buffer.alloc(1024 * 1024 + 1, 'x');
  const answer = { status: 200, headers: [], body };
  let pauses = 0;
  const server = createServer((req, res) => {
    function* counted() {
      for (const step of sendPieces({ req, res }, answer, body, ['Content-Length', String(body.length)])) {
        pauses++;
        yield step;
      }
    }
    void new Slices().run('client', counted());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP server
  const [response] = await once(get({ port, host: '127.0.0.1', agent: false }), 'response');
  expect((await buffer(response)).equals(body)).toBe(true);
  // Five pieces of 256 KiB at most.
  expect(pauses).toBe(4);
});

it('ends a large answer where its client has left', async () => {
  const body = Buffer.alloc(1024 * 1024, 'x');
  const left = new Promise<number>((resolve) => {
    const server = createServer((req, res) => {
      const pieces = sendPieces({ req, res }, { status: 200, headers: [], body }, body, []);
      pieces.next();
      res.destroy();
      resolve([...pieces].length);
    }).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // of a TCP server
      get({ port, host: '127.0.0.1', agent: false }).on('error', () => server.close());
    });
  });
  expect(await left).toBe(0);
});
