import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { holdReading, releaseReading } from '../../../../src/http/net/connections/reading.ts';
import { until } from '../../../e2e/program.ts';

it('reads from a connection that two hold only once both have released it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1'); // of a TCP server
  const socket: Socket = (await once(server, 'connection'))[0];
  onTestFinished(() => void client.destroy());
  socket.resume();
  holdReading(socket);
  holdReading(socket);
  client.write('text');
  releaseReading(socket);
  await pause(50);
  expect(socket.bytesRead).toBe(0);
  releaseReading(socket);
  await until('it is read', () => socket.bytesRead === 4);
});
