import { once } from 'node:events';
import { createServer, get, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { finish } from '../../../src/http/fairness/slices.ts';
import { sendLarge } from '../../../src/http/request/response.ts';

/** Serves requests by a listener; gives the port. */
async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // of a TCP server
}

it('sends a large answer in pieces, each once the connection has taken the one before', async () => {
  const body = Buffer.alloc(1024 * 1024 + 1, 'x');
  const mostWaiting: number[] = [];
  const corked: (number | undefined)[] = [];
  const port = await serve((req, res) => {
    res.writeHead(200, ['Content-Length', String(body.length)]);
    void sendLarge({ req, res }, body, (pieces) => {
      const progress = finish(pieces);
      mostWaiting.push(res.writableLength);
      corked.push(res.socket?.writableCorked);
      return progress;
    });
  });
  const [response] = await once(get({ port, host: '127.0.0.1', agent: false }), 'response');
  expect((await buffer(response)).equals(body)).toBe(true);
  // Five pieces of 256 KiB at most, beside some bytes of the head.
  expect(mostWaiting).toHaveLength(5);
  expect(Math.max(...mostWaiting)).toBeLessThan(257 * 1024);
  // Each was handed over, and encrypted, before its slice was over.
  expect(corked.slice(0, 4)).toEqual([0, 0, 0, 0]);
});

it('ends a large answer where its client has left', async () => {
  const body = Buffer.alloc(1024 * 1024, 'x');
  let runs = 0;
  const left = new Promise<string>((resolve) => {
    const listener: RequestListener = (req, res) => {
      void sendLarge({ req, res }, body, (pieces) => {
        const progress = finish(pieces);
        if (runs++ === 0) res.destroy();
        else resolve(progress);
        return progress;
      });
    };
    void serve(listener).then((port) =>
      get({ port, host: '127.0.0.1', agent: false }).on('error', () => {}),
    );
  });
  expect(await left).toBe('done');
});
