import { once } from 'node:events';
import { createServer, get, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { finish, type Steps } from '../../../src/http/fairness/slices.ts';
import { sendLarge } from '../../../src/http/request/response.ts';

/** Serves requests by a listener; gives the port. */
async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // of a TCP server
}

const lengthOf = (body: Buffer) => ['Content-Length', String(body.length)];

it('sends a large answer in pieces, between which others are served', async () => {
  const body = Buffer.alloc(1024 * 1024 + 1, 'x');
  let pauses = 0;
  const port = await serve((req, res) => {
    void sendLarge({ req, res }, { status: 200, headers: [], body }, body, lengthOf(body), (pieces) => {
      while (!pieces.next().done) pauses++;
    });
  });
  const [response] = await once(get({ port, host: '127.0.0.1', agent: false }), 'response');
  expect((await buffer(response)).equals(body)).toBe(true);
  // Five pieces of 256 KiB at most.
  expect(pauses).toBe(4);
});

it('ends a large answer where its client has left', async () => {
  const body = Buffer.alloc(1024 * 1024, 'x');
  const left = new Promise<number>((resolve) => {
    const listener: RequestListener = (req, res) => {
      void sendLarge({ req, res }, { status: 200, headers: [], body }, body, [], (pieces) => {
        pieces.next();
        res.destroy();
        resolve([...pieces].length);
      });
    };
    void serve(listener).then((port) => get({ port, host: '127.0.0.1', agent: false }).on('error', () => {}));
  });
  expect(await left).toBe(0);
});

it('sends a large answer that waits behind another one only once that one is sent', async () => {
  const body = Buffer.alloc(600 * 1024, 'x');
  const order: string[] = [];
  const run = (pieces: Steps<void>): void => {
    order.push('large');
    finish(pieces);
  };
  const port = await serve((req, res) => {
    if (req.url === '/large') {
      void sendLarge({ req, res }, { status: 200, headers: [], body }, body, lengthOf(body), run);
      return;
    }
    setTimeout(() => {
      order.push('first');
      res.end('first');
    }, 50);
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const received = (await buffer(socket)).toString('latin1');
  expect(order).toEqual(['first', 'large']);
  expect(received.indexOf('first')).toBeLessThan(received.indexOf('xxx'));
  expect(received.endsWith('x'.repeat(body.length))).toBe(true);
});
