import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectionLimits } from '../../../src/http/net/connections.ts';
import { getText, postHead } from '../../e2e/client.ts';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { pause, until } from '../../e2e/program.ts';
import { makeCertificate } from '../../http/certificates.ts';

/** So many connections of each kind; TEST_HKCTL_ROUNDS times as many where asked for. */
const each = 20 * Number(process.env.TEST_HKCTL_ROUNDS ?? 1);
/** What the daemon may take to end: its own 10 s, and the time of a slow machine. */
const drainMs = 20_000;

let folder: string;
let plant: Plant;
let secret: string;
let serveOverTls: string[];
const sockets: Socket[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-chaos-'));
  const { tlsCert, tlsKey } = await makeCertificate(folder, 'server');
  serveOverTls = ['--tls-cert', tlsCert, '--tls-key', tlsKey];
  plant = await Plant.open();
  secret = (await plant.createKey('Gateway', 'sensor-gateway')).secret;
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await plant.close();
  rmSync(folder, { recursive: true });
});

const hello = Buffer.from('1603010200010001fc0303', 'hex');
const body = (key: string) => postHead('/api/v1/sensors/readings', key, 1000);

/** Keeps its end of every connection open, whatever the daemon does. */
function raw(port: number, play: (socket: Socket) => void): void {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => play(socket));
  keep(socket);
}

function secured(
  port: number,
  play: (socket: TLSSocket) => void,
  maxVersion: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3',
): void {
  const socket = connectTls(
    { port, host: '127.0.0.1', rejectUnauthorized: false, maxVersion },
    () => play(socket),
  );
  keep(socket);
}

function keep(socket: Socket): void {
  sockets.push(socket);
  // What becomes of it is seen in the daemon.
  socket.on('error', () => {});
  socket.resume();
}

/** Writes bit by bit what would be a message of TLS, or a head, if it ever ended. */
function trickle(socket: Socket, piece: string | Buffer): void {
  const timer = setInterval(() => socket.write(piece), 200);
  socket.once('close', () => clearInterval(timer));
}

type Kind = readonly [name: string, open: (port: number, key: string) => void];

const plainKinds: readonly Kind[] = [
  ['silent', (port) => raw(port, () => {})],
  ['half a head', (port) => raw(port, (socket) => socket.write('GET /api/v1/me HTTP/1.1\r\nHo'))],
  [
    'a head without end',
    (port) =>
      raw(port, (socket) => {
        socket.write('GET / HTTP/1.1\r\n');
        trickle(socket, 'X: y\r\n');
      }),
  ],
  ['half-closed', (port) => raw(port, (socket) => socket.end())],
  ['half-closed with half a head', (port) => raw(port, (socket) => socket.end('GET /api'))],
  ['no HTTP, kept open', (port) => raw(port, (socket) => socket.write('\x00\x01\x02\x03\r\n\r\n'))],
  [
    'CONNECT, kept open',
    (port) => raw(port, (socket) => socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')),
  ],
];

const tlsKinds: readonly Kind[] = [
  ['silent', (port) => raw(port, () => {})],
  ['half a hello', (port) => raw(port, (socket) => socket.write(hello))],
  ['a hello byte by byte', (port) => raw(port, (socket) => trickle(socket, hello.subarray(0, 1)))],
  ['half-closed before a hello', (port) => raw(port, (socket) => socket.end())],
  ['half-closed in a hello', (port) => raw(port, (socket) => socket.end(hello))],
  [
    'HTTP without TLS',
    (port) => raw(port, (socket) => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')),
  ],
  [
    'random bytes',
    (port) => raw(port, (socket) => socket.write(Buffer.from('5a'.repeat(600), 'hex'))),
  ],
  [
    'reset in a hello',
    (port) => raw(port, (socket) => socket.write(hello, () => socket.resetAndDestroy())),
  ],
  [
    'an old protocol',
    (port) => raw(port, (socket) => socket.write(Buffer.from('160300004b0100004703001234', 'hex'))),
  ],
  ['a handshake and nothing', (port) => secured(port, () => {})],
  ['a handshake of 1.2 and nothing', (port) => secured(port, () => {}, 'TLSv1.2')],
  ['half a head', (port) => secured(port, (socket) => socket.write('GET /api/v1/me HT'))],
  [
    'renegotiating',
    (port) => secured(port, (socket) => socket.renegotiate({}, () => {}), 'TLSv1.2'),
  ],
  [
    'broken after its handshake',
    (port) => {
      const carrier = connect({ port, host: '127.0.0.1' });
      keep(
        connectTls({ socket: carrier, rejectUnauthorized: false }, () => carrier.write('nonsense')),
      );
    },
  ],
];

/** What is under way while a daemon ends; without the end these are idle or cut after their own, longer times. */
const busyKinds = (open: typeof raw | typeof secured): readonly Kind[] => [
  [
    'idle after an answer',
    (port, key) => open(port, (socket) => socket.write(getText('/api/v1/me', key))),
  ],
  ['a body that never comes', (port, key) => open(port, (socket) => socket.write(body(key)))],
  [
    'half of a second head',
    (port, key) => open(port, (socket) => socket.write(`${getText('/api/v1/me', key)}GET /`)),
  ],
  [
    'answers that nobody reads',
    (port, key) =>
      open(port, (socket) => {
        socket.pause();
        socket.write(getText('/api/v1/openapi.json', key).repeat(50));
      }),
  ],
];

// Side by side: they mostly wait, and each has a daemon of its own.
describe.concurrent.each([['plain', false, plainKinds] as const, ['TLS', true, tlsKinds] as const])(
  'over %s',
  (_, isTls, kinds) => {
    const serve = () => plant.serve({}, isTls ? serveOverTls : []);

    it('connections that never ask are gone after the time for a head', async () => {
      const daemon = await serve();
      const before = socketsOf(daemon);
      chaos(daemon, kinds);
      const most = each * kinds.length;
      await until('they are there', () => socketsOf(daemon) - before > most / 4);
      await until('none is left', () => socketsOf(daemon) <= before, {
        timeoutMs: connectionLimits.headersMs + 20_000,
      });
      expect(await daemon.stop('SIGTERM', drainMs)).toMatchObject({ code: 0, signal: null });
    });

    it('a signal ends the daemon within its time, whatever is open', async () => {
      const daemon = await serve();
      const before = socketsOf(daemon);
      const all = [...kinds, ...busyKinds(isTls ? secured : raw)];
      chaos(daemon, all);
      await until('they are there', () => socketsOf(daemon) - before > (each * all.length) / 4);
      // Some are in the middle of a handshake, some before it and some behind it.
      await pause(300);
      expect(await daemon.stop('SIGTERM', drainMs)).toMatchObject({ code: 0, signal: null });
    });

    it.each(kinds)('a single one is enough to hold up nothing: %s', async (_name, open) => {
      const daemon = await serve();
      open(daemon.port, secret);
      await pause(100);
      const outcome = await daemon.stop('SIGTERM', 5_000);
      expect(outcome).toMatchObject({ code: 0, signal: null });
    });
  },
);

function chaos(daemon: Daemon, kinds: readonly Kind[]): void {
  for (let count = 0; count < each; count++)
    for (const [, open] of kinds) open(daemon.port, secret);
}

/** The sockets that a process has open. */
function socketsOf(daemon: Daemon): number {
  const files = `/proc/${daemon.child.pid}/fd`;
  return readdirSync(files).filter((name) => linkOf(join(files, name)).startsWith('socket:'))
    .length;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch (thrown) {
    // Closed since the folder was read.
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return '';
    throw thrown;
  }
}
