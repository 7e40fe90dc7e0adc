import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ServeOptions } from '../../../src/http/server.ts';
import { getText, postHead } from '../../e2e/client.ts';
import { pause, until } from '../../e2e/program.ts';
import { makeCertificate } from '../certificates.ts';
import { type Face, listening } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

let plant: HttpPlant;
let keys: string[];
let face: Face & { url: string };
let folder: string;
let certificate: { tlsCert: string; tlsKey: string };
let clients: Client[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-connections-'));
  certificate = await makeCertificate(folder, 'server');
  plant = await HttpPlant.open();
  keys = [(await plant.key()).secret, (await plant.key()).secret];
});
afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  clients = [];
  await face.close();
});
afterAll(async () => {
  await plant.domain.store.close();
  rmSync(folder, { recursive: true });
});

async function open(limits: ServeOptions['limits'], isTls = false): Promise<void> {
  face = await listening(plant, isTls ? certificate : {}, { checkEveryMs: 50, ...limits });
}

const port = () => Number(new URL(face.url).port);

/** One connection and the bytes received on it. */
class Client {
  received = '';
  isClosed = false;
  readonly socket: Socket;

  constructor(socket: Socket, text: string | Buffer = '') {
    this.socket = socket;
    clients.push(this);
    socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    // The server caused it either way: these sockets do not close by themselves.
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.isClosed = true;
      });
    }
    if (text.length > 0) socket.write(text);
  }

  get isAnswered(): boolean {
    return this.received.includes('HTTP/1.1 200');
  }

  static plain(text: string | Buffer = '', localAddress = '127.0.0.1'): Client {
    const options = { port: port(), host: '127.0.0.1', localAddress, allowHalfOpen: true };
    return new Client(connect(options), text);
  }

  static tls(text = '', more: { maxVersion?: 'TLSv1.2' } = {}): Client {
    return new Client(
      connectTls({ port: port(), host: '127.0.0.1', rejectUnauthorized: false, ...more }),
      text,
    );
  }
}

/** A connection that stays idle after one request, with a key or without. */
async function idle(key?: number): Promise<Client> {
  const client = Client.plain(
    key === undefined
      ? 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
      : getText('/api/v1/me', keys[key] ?? ''),
  );
  await until('it is answered', () => client.isAnswered);
  return client;
}

/** A connection whose body never arrives completely. */
async function unfinished(key: number): Promise<Client> {
  const client = Client.plain(
    postHead('/api/v1/sensors/readings', keys[key] ?? '', 1000).replace(
      '\r\n\r\n',
      '\r\nExpect: 100-continue\r\n\r\n',
    ),
  );
  await until('it receives 100 Continue', () => client.received.includes('100 Continue'));
  return client;
}

async function metric(name: string): Promise<number> {
  const client = Client.plain('GET /metrics HTTP/1.0\r\n\r\n');
  await until('the metrics come', () => client.isClosed);
  client.socket.destroy();
  return Number(
    new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\d+)$`, 'm').exec(client.received)?.[1],
  );
}

describe('too many connections', () => {
  it('close those without a key first, the oldest before others, and are counted and logged', async () => {
    await open({ connections: 6 });
    const known = [await idle(0), await idle(0), await idle(1)];
    const strangers = [await idle(), await idle(), Client.plain()];
    await until('the silent one is accepted', () => strangers[2]?.socket.readyState === 'open');
    const first = await idle(1);
    await until('the oldest stranger is closed', () => strangers[0]?.isClosed);
    expect([...known, first, strangers[1]].map((client) => client?.isClosed)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
    await idle(1);
    await until('the next stranger is closed', () => strangers[1]?.isClosed);
    expect([...known, first].map((client) => client.isClosed)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    await until('it is logged', () => face.log().includes('too many connections'));
    const line =
      face
        .log()
        .split('\n')
        .find((text) => text.includes('too many connections')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      level: 'warn',
      connections: 6,
      dropped: { unauthenticated: 1 },
    });
    expect(
      await metric('hkctl_connections_dropped_total{reason="unauthenticated"}'),
    ).toBeGreaterThanOrEqual(2);
  });

  it('then close the oldest idle one', async () => {
    await open({ connections: 3 });
    const all = [await idle(1), await idle(0), await idle(0)];
    const more = await idle(1);
    await until('the oldest is closed', () => all[0]?.isClosed);
    expect([...all.slice(1), more].map(({ isClosed }) => isClosed)).toEqual([false, false, false]);
  });

  it('of one address close the oldest of that address without a key, and count no trusted proxy', async () => {
    const limits = { connectionsOfAddress: 3 };
    await open(limits);
    const elsewhere = Client.plain('', '127.0.0.2');
    const silent = [Client.plain(), Client.plain()];
    await until('they are open', () =>
      [elsewhere, ...silent].every(({ socket }) => socket.readyState === 'open'),
    );
    const known = [await idle(0), await idle(0)];
    await until('the oldest is closed', () => silent[0]?.isClosed);
    expect([elsewhere, silent[1], ...known].map((client) => client?.isClosed)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    await face.close();
    face = await listening(plant, { trustProxy: ['127.0.0.1'] }, { checkEveryMs: 50, ...limits });
    const ofProxy = [await idle(), await idle(), await idle(), await idle(), await idle()];
    expect(ofProxy.map(({ isClosed }) => isClosed)).toEqual(ofProxy.map(() => false));
  });

  it('close those whose body has not arrived, where none is idle', async () => {
    await open({ connections: 3 });
    const held = [await unfinished(0), await unfinished(0), await unfinished(1)];
    const more = await idle(1);
    await until('the oldest is closed', () => held[0]?.isClosed);
    expect([held[1], held[2], more].map((client) => client?.isClosed)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('a body', () => {
  it.each([['plain', false] as const, ['TLS', true] as const])(
    'that drips is cut, and one that goes on is not: %s',
    async (_, isTls) => {
      await open({ bodyMs: 300 }, isTls);
      const start = (text: string) => (isTls ? Client.tls(text) : Client.plain(text));
      const body = '{"readings":[]}';
      const head = postHead('/api/v1/sensors/readings', keys[0] ?? '', body.length + 20_000);
      const [slow, quick] = [start(head), start(head)];
      const timer = setInterval(() => {
        slow.socket.write(' ');
        if (quick.socket.bytesWritten < head.length + 20_000) quick.socket.write(' '.repeat(1000));
      }, 50);
      await until('the slow one is cut', () => slow.isClosed);
      await until(
        'the quick one has sent its blanks',
        () => quick.socket.bytesWritten === head.length + 20_000,
      );
      clearInterval(timer);
      quick.socket.write(body);
      await until('the quick one is answered', () => quick.isAnswered);
      if (!isTls)
        expect(await metric('hkctl_connections_dropped_total{reason="slow_body"}')).toBe(1);
    },
  );
});

async function metricOverTls(): Promise<number> {
  const client = Client.tls('GET /metrics HTTP/1.0\r\n\r\n');
  await until('the metrics come', () => client.isClosed);
  return Number(/^hkctl_connections (\d+)$/m.exec(client.received)?.[1]);
}

it('a connection with invalid TLS bytes is closed at once and not after the time for a head', async () => {
  await open({ headersMs: 60_000, idleMs: 60_000 }, true);
  Client.plain('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  Client.plain(
    Buffer.concat([Buffer.from('160300004b0100004703001234', 'hex'), Buffer.alloc(100)]),
  );
  const { socket } = Client.plain();
  const secured = connectTls({ socket, rejectUnauthorized: false });
  secured.on('error', () => {});
  await until('the handshake is finished', () => secured.getProtocol() !== null);
  // Written to the socket below TLS.
  socket.write('nonsense, and as long as a record');
  await until('none is held', async () => (await metricOverTls()) === 1);
});

const hello = Buffer.from('1603010200010001fc0303', 'hex');

describe.each([['plain', false] as const, ['TLS', true] as const])(
  'over %s, connections',
  (_, isTls) => {
    const silent = () => [
      Client.plain(),
      Client.plain(isTls ? hello : 'GET / HT'),
      ...(isTls
        ? [
            Client.tls(),
            Client.tls('', { maxVersion: 'TLSv1.2' }),
            Client.plain('GET / HTTP/1.1\r\n\r\n'),
          ]
        : []),
    ];

    it('without a request are closed after the time for a head', async () => {
      await open({ headersMs: 300 }, isTls);
      const all = [...silent(), ...silent()];
      await until('they are closed', () => all.every(({ isClosed }) => isClosed));
      await until(
        'none is held',
        async () => (isTls ? await metricOverTls() : await metric('hkctl_connections')) === 1,
      );
    });

    it('do not delay the end, whatever they have sent', async () => {
      await open({ headersMs: 60_000 }, isTls);
      const all = silent();
      const halfClosed = Client.plain();
      halfClosed.socket.end();
      await until('they are open', () =>
        all.every(({ socket, isClosed }) => isClosed || socket.readyState === 'open'),
      );
      const startedAt = Date.now();
      await face.close();
      expect(Date.now() - startedAt).toBeLessThan(5_000);
      await until('they are closed', () => all.every(({ isClosed }) => isClosed));
      await open({});
    });
  },
);

describe('where the clock of the machine is set', () => {
  afterEach(() => void vi.restoreAllMocks());

  function shiftClock(ms: number): void {
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + ms);
  }

  it('back by an hour, connections without a request are closed in time all the same', async () => {
    await open({ headersMs: 300 });
    const silent = Client.plain();
    await idle();
    shiftClock(-3_600_000);
    await until('it is closed', () => silent.isClosed);
  });

  it('ahead by an hour, those that are in time stay open', async () => {
    await open({ headersMs: 60_000, bodyMs: 60_000 });
    const [silent, arriving] = [Client.plain('GET / HT'), await unfinished(0)];
    // The checks have seen the body arrive.
    await idle();
    await pause(150);
    shiftClock(3_600_000);
    await pause(150);
    expect([silent, arriving].map(({ isClosed }) => isClosed)).toEqual([false, false]);
  });
});

describe.each([['plain', false] as const, ['TLS', true] as const])(
  'over %s, requests in one packet',
  (_, isTls) => {
    const send = (count: number) => {
      const paths = Array.from({ length: count }, (_, index) =>
        index % 2 === 0 ? '/healthz' : '/nowhere',
      );
      const text = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
      const client = isTls ? Client.tls(text) : Client.plain(text);
      return { client, expected: paths.map((path) => (path === '/healthz' ? '200' : '404')) };
    };
    const statuses = ({ received }: Client) =>
      [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => match[1]);

    it('are all answered, in order, if 8 wait behind the first', async () => {
      await open({}, isTls);
      const { client, expected } = send(9);
      await until('all are answered', () => statuses(client).length === 9);
      expect(statuses(client)).toEqual(expected);
      expect(client.isClosed).toBe(false);
    });

    // Promise 8.4.
    it('close the connection after the answer in progress if more than 8 wait', async () => {
      await open({}, isTls);
      const { client } = send(10);
      await until('it is closed', () => client.isClosed);
      expect(statuses(client)).toEqual(['200']);
      expect(client.received).toMatch(/\}\n?$/);
      const { client: many } = send(5000);
      await until('it is closed, too', () => many.isClosed);
      expect(statuses(many)).toEqual(['200']);
      if (!isTls)
        expect(await metric('hkctl_connections_dropped_total{reason="pipelining"}')).toBe(2);
    });
  },
);
