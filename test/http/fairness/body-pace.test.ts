import { once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { BodyPace } from '../../../src/http/fairness/body-pace.ts';
import { bareApp } from '../faces.ts';
import { HttpPlant } from '../plant.ts';
import { servedPlant } from '../served-plant.ts';

const KiB = 1024;

it('stops reading from connections once enough was read, and continues with those that wait longest', async () => {
  const pace = new BodyPace(() => {});
  const sockets = Array.from({ length: 10 }, () => new Socket());
  const held = () => sockets.flatMap((socket, index) => (socket.isPaused() ? [index] : []));
  for (const socket of sockets) pace.count(socket, 64 * KiB);
  // A quarter of a MiB is four times 64 KiB.
  expect(held()).toEqual([3, 4, 5, 6, 7, 8, 9]);
  await setImmediate();
  expect(held()).toEqual([7, 8, 9]);
  await setImmediate();
  expect(held()).toEqual([]);
  pace.count(sockets[0] as Socket, 64 * KiB); // one of ten
  expect(held()).toEqual([]);
});

it('reports every thousand small pieces that a connection brings in a row, whether they are wanted or not', () => {
  const reported: unknown[] = [];
  const pace = new BodyPace((socket) => reported.push(socket));
  const [one, other] = [new Socket(), new Socket()];
  const bring = (socket: Socket, pieces: number, bytes: number) => {
    for (let piece = 0; piece < pieces; piece++) pace.count(socket, bytes);
  };
  bring(one, 1023, 1);
  bring(other, 1, 1);
  bring(one, 1023, 511);
  expect(reported).toEqual([]);
  bring(one, 1025, 1);
  expect(reported).toEqual([one, one]);
  bring(one, 5000, 512);
  expect(reported).toHaveLength(2);
  const req = new IncomingMessage(other);
  pace.discard(req);
  for (let piece = 0; piece < 1024; piece++) req.emit('data', Buffer.from(' '));
  expect(reported).toEqual([one, one, other]);
});

it('reads the rest of a body that is answered before its end in pieces, and then serves the next request', async () => {
  const length = 4 * 1024 * KiB;
  const pause = vi.spyOn(Socket.prototype, 'pause');
  onTestFinished(() => pause.mockRestore());
  const pace = new BodyPace(() => {});
  const server = createServer((req, res) => {
    if (!req.complete) pace.discard(req);
    res.end('refused');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP server
  const client = connect(port, '127.0.0.1');
  onTestFinished(() => void client.destroy());
  let received = '';
  client.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  client.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`);
  client.write(' '.repeat(length));
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  while (received.split('refused').length < 3) await once(client, 'data');
  // Each piece is 64 KiB at most.
  expect(pause.mock.calls.length).toBeGreaterThan(50);
});

it('paces bytes that are no HTTP, for as long as they come', async () => {
  const drop = vi.spyOn(BodyPace.prototype, 'drop');
  onTestFinished(() => drop.mockRestore());
  const { face } = await servedPlant();
  const client = connect(Number(new URL(face.url).port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void client.destroy());
  client.resume().write(' '.repeat(4 * 1024 * KiB));
  await once(client, 'close');
  const dropped = drop.mock.calls.reduce((sum, [, bytes]) => sum + bytes, 0);
  expect(dropped).toBeGreaterThan(64 * KiB);
});

it('paces the body of a request without a key', async () => {
  const discard = vi.spyOn(BodyPace.prototype, 'discard');
  onTestFinished(() => discard.mockRestore());
  const plant = await HttpPlant.open();
  const face = bareApp(plant);
  const headers = { 'content-type': 'application/json' };
  const refused = await face.fetch('/api/v1/sensors/readings', {
    method: 'POST',
    headers,
    body: ' '.repeat(4 * 1024 * KiB),
  });
  expect(refused.status).toBe(401);
  expect(discard).toHaveBeenCalledOnce();
  await plant.domain.store.close();
});
