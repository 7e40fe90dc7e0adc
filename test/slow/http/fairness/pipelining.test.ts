import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextIteration, setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { BusyClients } from '../../../../src/http/fairness/busy-clients.ts';
import { Iterations } from '../../../../src/http/fairness/iterations.ts';
import { Pipelining } from '../../../../src/http/fairness/pipelining.ts';
import { createLog } from '../../../../src/http/monitoring/log.ts';
import { releaseReading } from '../../../../src/http/net/connections/reading.ts';
import { type ClientConnection, connectionOf } from '../../../../src/http/net/connections/table.ts';
import { Connections, connectionLimits } from '../../../../src/http/net/connections.ts';
import { until } from '../../../e2e/program.ts';

const short = 'GET / HTTP/1.1\r\nHost:a\r\n\r\n';
/** Before any connection was closed. */
const usual = Error.stackTraceLimit;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** A server whose requests wait for their turn; `begin` sees each when it comes, `arrive` as Node passes it on. */
async function serve(
  begin: RequestListener,
  arrive: RequestListener = () => {},
  pipelining: (connections: Connections) => Pipelining = (connections) => connections.pipelining,
) {
  const connections = new Connections(connectionLimits, createLog('error', { write() {} }));
  const inOrder = pipelining(connections).inOrder(begin);
  const server = createServer((req, res) => {
    arrive(req, res);
    inOrder(req, res);
  });
  connections.watch(server, () => false);
  const accepted: (ClientConnection | undefined)[] = [];
  /** Whether each connection was held when it was accepted. */
  const acceptedHeld: boolean[] = [];
  server.on('connection', (socket) => {
    const connection = connectionOf(socket);
    accepted.push(connection);
    acceptedHeld.push(
      connection !== undefined && connection.waitsAs === `new ${connection.client}`,
    );
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
    const client = connect({ port, host: '127.0.0.1', localAddress }).setNoDelay(true);
    clients.push(client);
    await once(client, 'connect');
    // Node accepts a connection in each iteration.
    await until(
      'it is accepted',
      () => connections.table.size >= clients.filter(({ destroyed }) => !destroyed).length,
    );
    return client;
  };
  return { open, connections, accepted, acceptedHeld };
}

/** Iterations in each of which a connection is accepted, until `end`; their clock stands, so that the patience of work does not end. */
function acceptingConnections() {
  const iterations = new Iterations(() => 0);
  let next = setImmediate(count);
  function count(): void {
    iterations.accepted++;
    next = setImmediate(count);
  }
  const end = () => clearImmediate(next);
  onTestFinished(end);
  return { iterations, end };
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

it('reads nothing more from a connection while its requests wait, and the rest afterwards', async () => {
  let answered = 0;
  let first: (() => void) | undefined;
  let arrived = 0;
  const { open } = await serve(
    (_, res) => {
      const answer = () => {
        res.end();
        answered++;
      };
      if (answered === 0 && first === undefined) first = answer;
      else answer();
    },
    () => arrived++,
  );
  const client = await open();
  client.resume();
  client.write(short.repeat(2));
  await until('both have arrived', () => arrived === 2);
  client.write(short.repeat(50));
  for (let round = 0; round < 20; round++) await nextIteration();
  expect(arrived).toBe(2);
  first?.();
  await until('all are answered', () => answered === 52);
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
  for (const client of clients) client.resume().write(short.repeat(30));
  await until('all are answered', () => answered === 3000);
  // Three connections have more than 64 requests that wait; one more may have been read by then.
  expect(Math.max(...arrivedIn.values())).toBeLessThanOrEqual(4 * 30);
});

it('lets new connections of this client wait, too', async () => {
  const waiting: ServerResponse[] = [];
  let arrived = 0;
  let isAnswering = false;
  const { open, acceptedHeld } = await serve(
    (_, res) => {
      if (isAnswering) res.end();
      else waiting.push(res);
    },
    () => arrived++,
  );
  const client = await open();
  client.resume().write(short.repeat(65));
  await until('they have arrived', () => arrived === 65);
  await open();
  await open('127.0.0.2');
  const another = await open();
  another.write(short.repeat(2));
  await until('its requests have arrived', () => arrived === 67);
  isAnswering = true;
  for (const res of waiting) res.end();
  client.write(short.repeat(2));
  await until('the rest has arrived', () => arrived === 69);
  expect(acceptedHeld).toEqual([false, true, false, true]);
});

it('does so for ten seconds after it sent many requests at once', async () => {
  let aheadMs = 0;
  const created: Pipelining[] = [];
  const { open } = await serve(
    () => {},
    () => {},
    ({ table }) => {
      created[0] = new Pipelining(
        table,
        () => {},
        new Iterations(),
        new BusyClients(() => performance.now() + aheadMs),
      );
      return created[0];
    },
  );
  (await open()).write(short.repeat(100));
  const isBusy = () => created[0]?.clients.isBusy('127.0.0.1');
  await until('it is noticed', () => isBusy() === true);
  aheadMs = 8_000;
  expect(isBusy()).toBe(true);
  aheadMs = 10_001;
  expect(isBusy()).toBe(false);
});

it('reads from the next connection of this client later, the more requests the one before brought, but at once from a new one', async () => {
  const begun: string[] = [];
  const { open, connections } = await serve(
    () => {},
    ({ url = '' }) => begun.push(url),
  );
  const clients = await Promise.all(Array.from({ length: 6 }, () => open()));
  const startedAt = performance.now();
  for (const [index, client] of clients.entries()) client.write(get(`/${index}`).repeat(600));
  await until('two have arrived', () => new Set(begun).size === 2);
  (await open()).write(get('/another'));
  await until('four have arrived', () => begun.includes('/3'));
  // The first one was read before the others were held, and each later one rests for a fifth of a millisecond a request.
  expect(performance.now() - startedAt).toBeGreaterThan(2 * 599 * 0.2);
  await until('all have arrived', () => new Set(begun).size === 7);
  expect(begun.indexOf('/another')).toBeLessThan(begun.indexOf('/4'));
  expect(connections.drops.counts.pipelining).toBe(0);
});

it('reads from the newest first, and later where the one before brought many', async () => {
  const begun: string[] = [];
  const { open } = await serve(
    () => {},
    ({ url = '' }) => begun.push(url),
  );
  const first = await open();
  first.write(get('/first').repeat(100));
  await until('the client is known', () => begun.length === 100);
  const many = await open();
  many.write(get('/many').repeat(1500));
  await until('they have arrived', () => begun.length > 1500);
  const startedAt = performance.now();
  for (const path of ['/older', '/newer', '/newest']) (await open()).write(get(path));
  await until('all have arrived', () => begun.includes('/older'));
  expect([...new Set(begun)]).toEqual(['/first', '/many', '/newest', '/newer', '/older']);
  expect(performance.now() - startedAt).toBeGreaterThan(100);
});

it('does not let those of another client wait for this one', async () => {
  const begun: string[] = [];
  const { open } = await serve(
    () => {},
    ({ url = '' }) => begun.push(url),
    // On a busy machine this process may stand still for as long as the last one has to rest.
    ({ table }) =>
      new Pipelining(
        table,
        () => {},
        new Iterations(),
        new BusyClients(() => performance.now() / 4),
      ),
  );
  const many = await Promise.all(Array.from({ length: 3 }, () => open()));
  const few = await Promise.all(Array.from({ length: 2 }, () => open('127.0.0.2')));
  many[0]?.write(get('/many1').repeat(1200));
  many[1]?.write(get('/many2').repeat(1200));
  await until('two of the many are read', () => begun.includes('/many2'));
  many[2]?.write(get('/many3'));
  few[0]?.write(get('/few1').repeat(100));
  few[1]?.write(get('/few2'));
  await until('all have arrived', () => new Set(begun).size === 5);
  expect([...new Set(begun)]).toEqual(['/many1', '/many2', '/few1', '/few2', '/many3']);
});

it('lets TLS handshakes of this client wait in the same way, and not those of others', async () => {
  const { open, connections } = await serve(() => {});
  const first = await open();
  const pipelining = connections.pipelining;
  first.write(short.repeat(100));
  await until('they have arrived', () => connections.table.pipelinedByClient().size === 1);
  await until('one may begin', () => pipelining.clients.mayBegin('127.0.0.1'));
  (await open()).write(short.repeat(2000));
  await until('it must wait', () => !pipelining.clients.mayBegin('127.0.0.1'));
  expect(pipelining.clients.mayBegin('127.0.0.2')).toBe(true);
  const mayBegin = () => pipelining.clients.mayBegin('127.0.0.1');
  await until('it need not wait any more', mayBegin);
  // Each that begins lets the next one wait, since its requests are not known yet.
  pipelining.clients.noteHandshake('127.0.0.1');
  pipelining.clients.noteHandshake('127.0.0.2');
  expect(mayBegin()).toBe(false);
  expect(pipelining.clients.mayBegin('127.0.0.2')).toBe(true);
  await until('it need not wait any more', mayBegin);
});

const inBytes = (pieces: number) =>
  `POST /pieces HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(pieces)}`;

it('lets the connections of a client wait whose body comes in thousands of small pieces, and not those of others', async () => {
  const begun: (string | undefined)[] = [];
  const ended: (string | undefined)[] = [];
  const { open, connections, accepted } = await serve((req) => {
    begun.push(req.url);
    connections.pace.discard(req);
    req.on('end', () => ended.push(req.url));
  });
  const [first, second, other] = [await open(), await open(), await open('127.0.0.2')];
  const charged = vi.spyOn(connections.pipelining.clients, 'charge');
  first.write(`${inBytes(100_000)}0\r\n\r\n`);
  await until('it waits', () => accepted[0]?.waitsAs !== undefined);
  expect(accepted[1]?.waitsAs).toBeDefined();
  expect(accepted[2]?.waitsAs).toBeUndefined();
  // Those that its client opens meanwhile, too.
  const third = await open();
  for (const [index, client] of [second, third].entries()) client.write(get(`/${index}`));
  other.write(get('/other'));
  await until('the other is served', () => begun.includes('/other'));
  expect(begun).toEqual(['/pieces', '/other']);
  await until('all are served', () => begun.length === 4 && ended.includes('/pieces'));
  expect(charged.mock.calls.length).toBeGreaterThan(90);
  for (const names of charged.mock.calls)
    expect(names).toEqual([8, '127.0.0.1', 'single 127.0.0.1', 'new 127.0.0.1']);
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

it('waits with that while connections are accepted', async () => {
  const { iterations, end } = acceptingConnections();
  let arrived = 0;
  const { open } = await serve(
    () => {},
    () => arrived++,
    ({ table }) => new Pipelining(table, () => {}, iterations),
  );
  const clients = await Promise.all(Array.from({ length: 10 }, () => open()));
  for (const client of clients) client.write(short.repeat(30));
  await until('some have arrived', () => arrived > 0);
  await pause(50);
  expect(arrived).toBeLessThanOrEqual(4 * 30);
  end();
  await until('all have arrived', () => arrived === 300);
});

it('waits once, also where requests come meanwhile that TLS had decrypted before', async () => {
  const { iterations, end } = acceptingConnections();
  let answered = 0;
  let pipelining: Pipelining | undefined;
  const { open, accepted } = await serve(
    (_, res) => {
      res.end();
      answered++;
    },
    () => {},
    ({ table }) => {
      pipelining = new Pipelining(table, () => {}, iterations);
      return pipelining;
    },
  );
  const client = (await open()).resume();
  const [connection] = accepted;
  if (connection?.channel === undefined) throw new Error('It was not accepted');
  pipelining?.clients.note(connection.client);
  for (let round = 0; round < 2; round++) pipelining?.accept(connection);
  expect(pipelining?.size).toBe(1);
  // Only such bytes are read from a connection that waits.
  releaseReading(connection.channel);
  client.write(short.repeat(3));
  await until('they are answered', () => answered === 3);
  expect(pipelining?.size).toBe(1);
  end();
  await until('it waits no longer', () => pipelining?.size === 0);
  client.write(short);
  await until('the next one is answered', () => answered === 4);
});

it('reads at once from the connections of other clients', async () => {
  const arrived: (string | undefined)[] = [];
  const { open } = await serve(
    () => {},
    ({ socket }) => arrived.push(socket.remoteAddress),
  );
  const many = await Promise.all(Array.from({ length: 100 }, () => open()));
  const one = await open('127.0.0.2');
  for (const client of many) client.write(short.repeat(30));
  one.write(short);
  await until('it has arrived', () => arrived.includes('127.0.0.2'));
  // Three of the many are read from before.
  expect(arrived.indexOf('127.0.0.2')).toBeLessThan(4 * 30);
});

it('does not read from connections that brought several requests while hundreds of their client wait', async () => {
  let isAnswering = true;
  const waiting: ServerResponse[] = [];
  let arrived = 0;
  const { open } = await serve(
    (_, res) => {
      if (isAnswering) res.end();
      else waiting.push(res);
    },
    () => arrived++,
  );
  const clients = await Promise.all(Array.from({ length: 40 }, () => open()));
  for (const client of clients) client.resume().write(short.repeat(30));
  await until('all have arrived', () => arrived === 1200);
  const [single, other] = [await open(), await open('127.0.0.2')];
  isAnswering = false;
  for (const client of clients) client.write(short.repeat(30));
  await until('hundreds have arrived', () => arrived > 1200 + 500);
  await pause(50);
  expect(arrived).toBeLessThan(1200 + 700);
  // Others are read from meanwhile.
  single.write(short);
  other.write(short.repeat(30));
  const before = arrived;
  await until('these have arrived', () => arrived === before + 31);
  isAnswering = true;
  for (const res of waiting) res.end();
  await until('all have arrived', () => arrived === 2 * 1200 + 31);
});

it('closes a connection of the client with the most requests where thousands wait', async () => {
  const { open, connections } = await serve(() => {});
  const few = await open('127.0.0.2');
  few.write(short.repeat(1500));
  const many = await Promise.all(
    [1000, 1300, 300, 300].map(async (count) => ({ client: await open(), count })),
  );
  const closed: number[] = [];
  for (const { client, count } of many)
    client.on('error', () => {}).on('close', () => closed.push(count));
  for (const { client, count } of many) client.write(short.repeat(count));
  await until('one is closed', () => connections.drops.counts.pipelining > 0);
  for (const { client } of many) client.resume();
  await until('it sees that', () => closed.length > 0);
  await pause(50);
  expect(connections.drops.counts.pipelining).toBe(1);
  expect(closed).toEqual([1300]);
  expect(few.destroyed).toBe(false);
});

it('never begins what waited on a closed connection, and counts it no longer', async () => {
  let begun = 0;
  let arrived = 0;
  const { open, connections } = await serve(
    () => begun++,
    () => arrived++,
  );
  for (let round = 1; round <= 3; round++) {
    const clients = await Promise.all(Array.from({ length: 8 }, () => open()));
    for (const client of clients) client.write(short.repeat(450));
    await until('all have arrived', () => arrived === round * 8 * 450);
    connections.closeAll();
    for (const client of clients) client.destroy();
    await until('they are closed', () => connections.table.size === 0);
  }
  expect(begun).toBe(3 * 8);
  expect(connections.drops.counts.pipelining).toBe(0);
});

it('keeps no closed connection that waited to be read from', async () => {
  const { open, connections } = await serve(() => {});
  (await open()).write(short.repeat(100));
  await until('the client is known', () => connections.table.pipelinedByClient().size === 1);
  // Ten seconds, so that none has its turn meanwhile.
  connections.pipelining.clients.charge(10_000, 'new 127.0.0.1');
  for (let round = 0; round < 5; round++) await open();
  expect(connections.pipelining.size).toBe(5);
  connections.closeAll();
  await until('they are closed', () => connections.table.size === 0);
  expect(connections.pipelining.size).toBe(0);
});

it('keeps none either that brought several requests and waits until fewer of its client wait', async () => {
  const { open, accepted, connections } = await serve(({ url }, res) => {
    if (url === '/answered') res.end();
  });
  (await open()).write(short.repeat(1000));
  await until(
    'they have arrived',
    () => connections.table.pipelinedByClient().get('127.0.0.1') === 999,
  );
  (await open()).resume().write(get('/answered').repeat(2));
  await until(
    'it waits again',
    () => accepted[1]?.hasPipelined === true && connections.pipelining.size === 1,
  );
  accepted[1]?.channel?.destroy();
  await until('it is closed', () => connections.table.size === 1);
  expect(connections.pipelining.size).toBe(0);
});

it('writes down no stack for each request of a connection that closes, and for later errors as before', async () => {
  const requests: IncomingMessage[] = [];
  const errors: Error[] = [];
  const { open, connections } = await serve(
    () => {},
    (req) => requests.push(req.on('error', (error) => errors.push(error))),
  );
  const client = await open();
  client.write(short.repeat(10));
  await until('all have arrived', () => requests.length === 10);
  connections.closeAll();
  await until('all are aborted', () => errors.length === 10);
  for (const { stack } of errors) expect(stack).not.toContain(' at ');
  expect(Error.stackTraceLimit).toBe(usual);
});
