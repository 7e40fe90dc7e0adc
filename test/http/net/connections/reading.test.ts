import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { holdReading, releaseReading } from '../../../../src/http/net/connections/reading.ts';
import { until } from '../../../e2e/program.ts';

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** A connection to a server of Node, and what arrives at it. */
async function connected(listener: RequestListener = (_, res) => res.end()) {
  const seen = { requests: 0 };
  const server = createServer((req, res) => {
    seen.requests++;
    listener(req, res);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').resume(); // of a TCP server
  const socket: Socket = (await once(server, 'connection'))[0];
  onTestFinished(() => void client.destroy());
  return { client, socket, seen };
}

it('reads from a connection that two hold only once both have released it', async () => {
  const { client, socket, seen } = await connected();
  holdReading(socket);
  holdReading(socket);
  client.write(get);
  releaseReading(socket);
  await pause(50);
  expect([socket.bytesRead, seen.requests]).toEqual([0, 0]);
  releaseReading(socket);
  await until('it is read', () => seen.requests === 1);
});

it('reads nothing where Node would by itself: after a request and its body, and where it had just resumed', async () => {
  const { client, socket, seen } = await connected((req, res) => {
    req.resume().on('end', () => {
      holdReading(socket);
      res.end();
    });
  });
  const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n';
  client.write(`${post}abc`);
  await until('it has been held', () => seen.requests === 1);
  await pause(20);
  const { bytesRead } = socket;
  client.write(post);
  await pause(50);
  expect([socket.bytesRead, seen.requests]).toEqual([bytesRead, 1]);
  releaseReading(socket);
  holdReading(socket);
  await pause(50);
  expect([socket.bytesRead, seen.requests]).toEqual([bytesRead, 1]);
  releaseReading(socket);
  await until('it is read', () => seen.requests === 2);
});

it('leaves a connection paused that Node has paused meanwhile, as long as a body is not taken', async () => {
  const bodies: { resume(): unknown }[] = [];
  const { client, socket, seen } = await connected((req) => void bodies.push(req));
  const length = 16 * 1024 * 1024;
  holdReading(socket);
  client.write(
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${' '.repeat(length)}`,
  );
  releaseReading(socket);
  await until('its head is read', () => seen.requests === 1);
  // As the pace of bodies does, also of those that fill the memory of their stream meanwhile.
  for (let round = 0; round < 10; round++) {
    holdReading(socket);
    await pause(5);
    releaseReading(socket);
    await pause(5);
  }
  expect(socket.bytesRead).toBeLessThan(length / 8);
  bodies[0]?.resume();
  await until('all is read', () => socket.bytesRead > length);
});
