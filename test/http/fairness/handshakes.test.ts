import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, expect, it } from 'vitest';
import { BusyClients } from '../../../src/http/fairness/busy-clients.ts';
import { paceHandshakes } from '../../../src/http/fairness/handshakes.ts';
import { Iterations } from '../../../src/http/fairness/iterations.ts';
import { until } from '../../e2e/program.ts';
import { makeCertificate } from '../certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-handshakes-'));
const { tlsCert, tlsKey } = await makeCertificate(folder, 'one');
afterAll(() => rmSync(folder, { recursive: true }));

const opened: { destroy(): unknown }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.destroy();
});

/** A server whose handshakes wait while `isAccepting`; `begun` has the addresses of those that began, by event-loop iteration. */
async function serve(
  isAccepting: () => boolean,
  clock: () => number,
  clients: Parameters<typeof paceHandshakes>[1]['clients'] = new BusyClients(),
) {
  const server = createServer(
    { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) },
    (_, res) => res.end('here'),
  );
  const iterations = new Iterations(clock);
  let isOver = false;
  opened.push({
    destroy() {
      isOver = true;
      server.close();
    },
  });
  const begun: string[][] = [];
  const ports: (number | undefined)[] = [];
  server.prependListener('connection', ({ remoteAddress = '', remotePort }: Socket) => {
    begun.at(-1)?.push(remoteAddress);
    ports.push(remotePort);
  });
  const nextIteration = (): void => {
    begun.push([]);
    if (isAccepting()) iterations.accepted++;
    if (!isOver) setImmediate(nextIteration);
  };
  nextIteration();
  const accepted: Socket[] = [];
  const clientOf = (socket: Socket) => {
    accepted.push(socket);
    return socket.remoteAddress ?? '';
  };
  const handshakes = paceHandshakes(server, { iterations, clients, clientOf });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP server
  return {
    port,
    begun: () => begun.filter((some) => some.length > 0),
    accepted: () => accepted.length,
    sockets: accepted,
    ports,
    handshakes,
  };
}

async function open(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
  opened.push(socket);
  await once(socket, 'connect');
  return socket;
}

it('begins handshakes round-robin by client, a few at a time, once no more connections are accepted', async () => {
  let isAccepting = true;
  const { port, begun, accepted } = await serve(
    () => isAccepting,
    () => 0,
  );
  for (let n = 0; n < 10; n++) await open(port, '127.0.0.1');
  await open(port, '127.0.0.2');
  await until('all are accepted', () => accepted() === 11);
  expect(begun()).toEqual([]);
  isAccepting = false;
  await until('all have begun', () => begun().flat().length === 11);
  expect(begun()[0]).toEqual(['127.0.0.1', '127.0.0.2']);
  expect(begun().map(({ length }) => length)).toEqual([2, 2, 2, 2, 2, 1]);
});

it('begins more of them after a long event-loop iteration', async () => {
  let nowMs = 0;
  let isAccepting = true;
  const { port, begun, accepted } = await serve(
    () => isAccepting,
    () => nowMs,
  );
  for (let n = 0; n < 10; n++) await open(port, '127.0.0.1');
  await until('all are accepted', () => accepted() === 10);
  nowMs = 24;
  isAccepting = false;
  await until('all have begun', () => begun().flat().length === 10);
  expect(begun().map(({ length }) => length)).toEqual([6, 2, 2]);
});

it('begins a few at first after hours without any', async () => {
  let isAccepting = true;
  const { port, begun, accepted } = await serve(
    () => isAccepting,
    () => 3_600_000,
  );
  for (let n = 0; n < 6; n++) await open(port, '127.0.0.1');
  await until('all are accepted', () => accepted() === 6);
  isAccepting = false;
  await until('all have begun', () => begun().flat().length === 6);
  expect(begun().map(({ length }) => length)).toEqual([2, 2, 2]);
});

it('begins none of a client that must wait, and those of others', async () => {
  let mayBegin = false;
  const { port, begun, handshakes } = await serve(
    () => false,
    () => 0,
    {
      isBusy: () => false,
      mayBegin: (client) => mayBegin || client === '127.0.0.2',
      noteHandshake() {},
    },
  );
  for (let n = 0; n < 3; n++) await open(port, '127.0.0.1');
  await open(port, '127.0.0.2');
  await until('the others have begun', () => begun().length > 0 && handshakes.size === 3);
  expect(begun().flat()).toEqual(['127.0.0.2']);
  mayBegin = true;
  await until('all have begun', () => handshakes.size === 0);
  expect(begun().flat()).toHaveLength(4);
});

it('begins the newest first of a client that sends many requests at once, and says when one begins', async () => {
  let isAccepting = true;
  const noted: string[] = [];
  const { port, ports, accepted, handshakes } = await serve(
    () => isAccepting,
    () => 0,
    {
      isBusy: (client) => client === '127.0.0.1',
      mayBegin: () => true,
      noteHandshake: (client) => noted.push(client),
    },
  );
  const clients: Socket[] = [];
  for (const address of ['127.0.0.1', '127.0.0.1', '127.0.0.2', '127.0.0.2'])
    clients.push(await open(port, address));
  await until('all are accepted', () => accepted() === 4);
  expect(noted).toEqual([]);
  isAccepting = false;
  await until('all have begun', () => handshakes.size === 0);
  const [older, newer, first, second] = clients.map(({ localPort }) => localPort);
  expect(ports).toEqual([newer, first, older, second]);
  expect(noted.sort()).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.2', '127.0.0.2']);
});

it('finishes a handshake whose client has sent its beginning meanwhile', async () => {
  let isAccepting = true;
  const { port, begun, accepted } = await serve(
    () => isAccepting,
    () => 0,
  );
  const secure = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  opened.push(secure);
  await until('it is accepted', () => accepted() === 1);
  isAccepting = false;
  await once(secure, 'secureConnect');
  secure.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(String((await once(secure, 'data'))[0])).toContain('200 OK');
  expect(begun()).toHaveLength(1);
});

it('keeps nothing of a connection that was dropped while it waited', async () => {
  const { port, accepted, sockets, handshakes } = await serve(
    () => true,
    () => 0,
  );
  for (let n = 0; n < 3; n++) await open(port, '127.0.0.1');
  await until('all are accepted', () => accepted() === 3);
  expect(handshakes.size).toBe(3);
  for (const socket of sockets) socket.destroy();
  await until('none waits', () => handshakes.size === 0);
});

it('survives a client that resets its connection while it waits', async () => {
  let mustWait = true;
  const { port, sockets, handshakes } = await serve(
    () => mustWait,
    () => 0,
  );
  const [first, second] = [await open(port, '127.0.0.1'), await open(port, '127.0.0.1')];
  first.write('nonsense');
  await until('both are accepted', () => sockets.length === 2 && sockets[0]?.bytesRead === 8);
  for (const client of [first, second]) client.resetAndDestroy();
  await until('none waits', () => handshakes.size === 0);
  mustWait = false;
});
