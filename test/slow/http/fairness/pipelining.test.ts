import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../../../src/http/monitoring/log.ts';
import { type ClientConnection, connectionOf } from '../../../../src/http/net/connections/table.ts';
import { Connections, connectionLimits } from '../../../../src/http/net/connections.ts';
import { until } from '../../../e2e/program.ts';
import { makeCertificate } from '../../../http/certificates.ts';

const short = 'GET / HTTP/1.1\r\nHost:a\r\n\r\n';
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

interface Pair {
  cert: Buffer;
  key: Buffer;
}

async function makePair(): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-pipelining-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { tlsCert, tlsKey } = await makeCertificate(folder, 'server');
  return { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) };
}

/**
 * A server whose requests wait for their turn, over TLS with a certificate; `begin` sees each when it comes, `arrive` as Node
 * passes it on.
 */
async function serve(begin: RequestListener, arrive: RequestListener = () => {}, pair?: Pair) {
  const connections = new Connections(connectionLimits, createLog('error', { write() {} }));
  const inOrder = connections.pipelining.inOrder(begin);
  const listener: RequestListener = (req, res) => {
    arrive(req, res);
    inOrder(req, res);
  };
  const server = pair ? createTlsServer(pair, listener) : createServer(listener);
  connections.watch(server, () => false);
  const accepted: (ClientConnection | undefined)[] = [];
  server.on('connection', (socket) => {
    accepted.push(connectionOf(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP server
  const clients: Socket[] = [];
  onTestFinished(() => {
    for (const client of clients) client.destroy();
    server.close();
  });
  const open = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const to = { port, host: '127.0.0.1', localAddress };
    const client = pair ? connectTls({ ...to, ca: pair.cert }) : connect(to);
    client.setNoDelay(true);
    clients.push(client);
    await once(client, 'connect');
    // Node accepts a connection in each iteration.
    await until(
      'it is accepted',
      () => connections.table.size >= clients.filter(({ destroyed }) => !destroyed).length,
    );
    return client;
  };
  return { open, connections, accepted };
}

/** Numbers the event-loop iterations. */
function countIterations() {
  let iteration = 0;
  let next = setImmediate(count);
  function count(): void {
    iteration++;
    next = setImmediate(count);
  }
  onTestFinished(() => clearImmediate(next));
  return { now: () => iteration };
}

it('begins a request once the answer to the one before was sent', async () => {
  const begun: string[] = [];
  const waiting: ServerResponse[] = [];
  let arrived = 0;
  const { open } = await serve(
    ({ url = '' }, res) => {
      begun.push(url);
      waiting.push(res);
    },
    () => arrived++,
  );
  const client = await open();
  client.write(['/1', '/2', '/3'].map(get).join(''));
  for (let n = 1; n <= 3; n++) {
    await until('the next has begun', () => begun.length >= n && arrived === 3);
    await nextIteration();
    expect(begun).toHaveLength(n);
    waiting[n - 1]?.end(`answer ${n}`);
  }
  let text = '';
  client.on('data', (chunk) => {
    text += chunk;
  });
  await until('all are answered', () => text.includes('answer 3'));
  expect(text.match(/answer \d/g)).toEqual(['answer 1', 'answer 2', 'answer 3']);
});

it.each([
  ['over TCP', undefined],
  // The request comes together with the end of the handshake.
  ['over TLS', makePair],
])(
  'does not read from a new connection of a client before the client has rested, %s',
  async (_, pairOf) => {
    let arrived = 0;
    const { open, connections, accepted } = await serve(
      (_req, res) => res.end(),
      () => arrived++,
      await pairOf?.(),
    );
    await open();
    await until('it is served', () => accepted[0]?.channel !== undefined);
    const [first] = accepted;
    if (!first?.channel) throw new Error('the connection is unknown');
    // Eight milliseconds each.
    for (let n = 0; n < 100; n++) connections.pipelining.restAfterPieces(first.channel);

    const next = await open();
    next.resume().write(short);
    await until('it is held', () => accepted[1]?.heldFor !== undefined);
    for (let n = 0; n < 50; n++) await nextIteration();
    expect(arrived).toBe(0);
    await until('it has rested', () => arrived === 1);
  },
);

it('reads from a new connection at once while a key of the same address rests', async () => {
  let arrived = 0;
  const { open, connections, accepted } = await serve(
    (_req, res) => res.end(),
    () => arrived++,
  );
  await open();
  const channel = accepted[0]?.channel;
  if (!channel) throw new Error('the connection is unknown');
  connections.table.identify(channel, 'a key');
  for (let n = 0; n < 1_000; n++) connections.pipelining.restAfterPieces(channel);

  const next = await open();
  expect(accepted[0]?.heldFor).toBe('a key');
  expect(accepted[1]?.heldFor).toBeUndefined();
  next.resume().write(short);
  await until('it is served', () => arrived === 1);
  expect(accepted[0]?.heldFor).toBe('a key');
});

it.each([
  ['over TCP', undefined],
  ['over TLS', makePair],
])('parses nothing more of a connection on which nine wait, %s', async (_, pairOf) => {
  let arrived = 0;
  const begun: string[] = [];
  const { open, connections } = await serve(
    ({ url = '' }, res) => {
      begun.push(url);
      setImmediate(() => res.end());
    },
    () => arrived++,
    await pairOf?.(),
  );
  const hostile = await Promise.all(Array.from({ length: 40 }, () => open()));
  for (const client of hostile) {
    client.on('error', () => {});
    client.resume().write(short.repeat(2_400));
  }
  await until('one is found', () => connections.drops.counts.pipelining > 0);
  const innocent = await open();
  innocent.resume().write(get('/innocent'));
  await until('another connection of that address is served', () => begun.includes('/innocent'));
  // They are closed one after the other.
  expect(connections.table.size).toBeGreaterThan(20);
  await until('all are closed', () => connections.table.size === 1);
  expect(arrived).toBe(40 * 10 + 1);
  expect(begun).toHaveLength(40 + 1);
});

it('begins the handshakes of a client one after the other where many come at once', async () => {
  const { open, accepted } = await serve((_, res) => res.end(), undefined, await makePair());
  const secureOf = (address: string) =>
    accepted.filter((one) => one?.channel && one.address === address).length;
  const hostile = Array.from({ length: 100 }, () => open());
  const innocent = open('127.0.0.2');
  await until('the innocent is secure', () => secureOf('127.0.0.2') === 1);
  expect(secureOf('127.0.0.1')).toBeLessThan(50);
  await Promise.all([...hostile, innocent]);
  await until('all are secure', () => secureOf('127.0.0.1') === 100);
});

it('forgets connections that end while their handshakes or requests wait for their turn', async () => {
  const { open, connections } = await serve((_, res) => res.end(), undefined, await makePair());
  const clients = await Promise.all(Array.from({ length: 50 }, () => open()));
  const waiting = [...connections.table].filter(({ serve }) => serve !== undefined);
  expect(waiting.length).toBeGreaterThan(10);
  for (const client of clients) client.destroy();
  const endedAt = performance.now();
  await until('all are forgotten', () => connections.table.size === 0);
  // Not by the time for a head, which is ten seconds.
  expect(performance.now() - endedAt).toBeLessThan(5_000);
});

it('reads from the connections of a client one after the other where many requests come at once', async () => {
  const iterations = countIterations();
  const arrivedIn = new Map<number, number>();
  let answered = 0;
  const { open } = await serve(
    (_, res) => {
      res.end();
      answered++;
    },
    () => arrivedIn.set(iterations.now(), (arrivedIn.get(iterations.now()) ?? 0) + 1),
  );
  const clients = await Promise.all(Array.from({ length: 100 }, () => open()));
  for (const client of clients) client.resume().write(short.repeat(9));
  await until('all are answered', () => answered === 900);
  // Eight connections bring 64 requests that wait; two more may have been read by then.
  expect(Math.max(...arrivedIn.values())).toBeLessThanOrEqual(10 * 9);
});

it('closes a connection on which nine wait after the answer in progress, and no other of that client', async () => {
  const begun: string[] = [];
  const { open, connections } = await serve(({ url = '' }, res) => {
    begun.push(url);
    setImmediate(() => res.end('answered'));
  });
  const [first, second] = [await open(), await open()];
  let received = '';
  first.on('data', (chunk) => {
    received += chunk;
  });
  first.write(get('/first').repeat(2_000));
  await once(first, 'close');
  expect(received.match(/answered/g)).toHaveLength(1);
  expect(connections.drops.counts.pipelining).toBe(1);
  second.resume().write(get('/second'));
  await until('it is answered', () => begun.includes('/second'));
  expect(begun).toEqual(['/first', '/second']);
});

it('closes it after a second if the answer in progress is not taken', async () => {
  const { open, connections } = await serve(() => {});
  const client = await open();
  client.resume().write(short.repeat(10));
  await once(client, 'close');
  expect(connections.drops.counts.pipelining).toBe(1);
});

const inBytes = (pieces: number) =>
  `POST /pieces HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(pieces)}`;

it('lets the connections of a client rest whose body comes in thousands of small pieces, and not those of others', async () => {
  const begun: (string | undefined)[] = [];
  const ended: (string | undefined)[] = [];
  const { open, connections, accepted } = await serve((req) => {
    begun.push(req.url);
    connections.pace.discard(req);
    req.on('end', () => ended.push(req.url));
  });
  const [first, second, other] = [await open(), await open(), await open('127.0.0.2')];
  const startedAt = performance.now();
  first.write(`${inBytes(100_000)}0\r\n\r\n`);
  await until('it waits', () => accepted[0]?.heldFor !== undefined);
  expect(accepted[1]?.heldFor).toBeDefined();
  expect(accepted[2]?.heldFor).toBeUndefined();
  second.write(get('/second'));
  other.write(get('/other'));
  await until('the other is served', () => begun.includes('/other'));
  expect(begun).toEqual(['/pieces', '/other']);
  await until('all are served', () => begun.length === 3 && ended.includes('/pieces'));
  // 97 times a thousand pieces.
  expect(performance.now() - startedAt).toBeGreaterThan(97 * 8);
});

it('begins two bodies of a client at most that come in chunks at the same instant, and reads each in pieces', async () => {
  const iterations = countIterations();
  const begunIn = new Map<number, number>();
  const bytesOf = new Map<IncomingMessage, number[]>();
  const { open, connections } = await serve(
    // As the daemon does, which answers in batches.
    (req) => void setImmediate(() => connections.pace.discard(req)),
    (req) => {
      begunIn.set(iterations.now(), (begunIn.get(iterations.now()) ?? 0) + 1);
      const at: number[] = [];
      bytesOf.set(req, at);
      setImmediate(() => at.push(req.socket.bytesRead));
    },
  );
  const clients = await Promise.all(Array.from({ length: 20 }, () => open()));
  for (const client of clients) client.write(inBytes(30_000));
  await until('all have begun', () => bytesOf.size === 20);
  expect(Math.max(...begunIn.values())).toBeLessThanOrEqual(2);
  // Node reads 64 KiB at once.
  await nextIteration();
  for (const [bytes] of bytesOf.values()) expect(bytes).toBeLessThanOrEqual(65_536);
});

it('keeps a body that waits as one piece, whatever it came in', async () => {
  const begun: IncomingMessage[] = [];
  let answer = () => {};
  const { open } = await serve((req, res) => {
    begun.push(req);
    answer = () => res.end();
  });
  const client = await open();
  client.resume().write(`${get('/')}${inBytes(2_000)}0\r\n\r\n`);
  await until('the first has begun', () => begun.length === 1);
  for (let round = 0; round < 3; round++) await nextIteration();
  answer();
  await until('the second has begun', () => begun.length === 2);
  const pieces: number[] = [];
  begun[1]?.on('data', ({ length }: Buffer) => pieces.push(length));
  await until('it is read', () => begun[1]?.readableEnded === true);
  expect(pieces).toEqual([2_000]);
});
