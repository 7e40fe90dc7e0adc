import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { engineAt } from '../../../src/store/open.ts';
import { parseLocation } from '../../../src/store/postgres/address/location.ts';
import { PooledDatabase } from '../../../src/store/postgres/connection/database.ts';
import { storeOptions } from '../stores.ts';
import { until } from './opened.ts';
import { sharedServer } from './shared-server.ts';
import { int16, int32, message, ready, row, startStrangeServer } from './strange-server.ts';

const options = { ...storeOptions, clock: Date.now };
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0)) await end();
});

const loggedIn = Buffer.concat([message('R', int32(0)), message('K', Buffer.concat([int32(7), int32(0)])), ready]);
const settings = ['version', 'standby', 'server', 'readonly', 'encoding', 'pid'];
const text = (value: string) => Buffer.from(`${value}\0`);
/** The limit of time is lifted for what follows. */
const isSet = message('C', text('SET'));
const answer = (...parts: Buffer[]) => Buffer.concat([isSet, ...parts, ready]);
const fine = (...values: string[]) => answer(...row(settings, values));

type Sends = (socket: Socket) => void;

/** Sends the same bytes for ever, as fast as they are taken. */
function forever(first: Buffer, again: Buffer): Sends {
  return (socket) => {
    const pieces = Buffer.concat(Array.from({ length: Math.ceil(65_536 / again.length) }, () => again));
    const more = () => {
      while (!socket.destroyed && socket.write(pieces));
    };
    socket.on('drain', more);
    socket.write(first);
    more();
  };
}

const once =
  (...parts: Buffer[]): Sends =>
  (socket) =>
    socket.write(Buffer.concat(parts));

const nothing: Sends = () => {};
const notice = message(
  'N',
  Buffer.concat([text('SNOTICE'), text('C00000'), text(`M${'x'.repeat(200)}`), Buffer.of(0)]),
);
const [described = ready, aRow = ready] = row(['server'], ['x'.repeat(100)]);
const scram = message('R', Buffer.concat([int32(10), text('SCRAM-SHA-256'), Buffer.of(0)]));

/** What a server sends after the start-up message, then after each statement; the last one is for all that follow. */
const cases: readonly [what: string, sends: readonly Sends[]][] = [
  ['an unknown kind of message', [once(Buffer.from('~~~~~~~~~~~~~~~~'))]],
  ['an unknown way to log in', [once(message('R', int32(99)))]],
  ['a message that is cut off', [once(message('R'))]],
  ['a log-in that goes on without a beginning', [once(message('R', Buffer.concat([int32(11), text('r=x')])))]],
  [
    'an end of the log-in that proves nothing',
    [once(scram), once(message('R', Buffer.concat([int32(12), text('v=')])))],
  ],
  ['notices without end instead of a log-in', [forever(Buffer.alloc(0), notice)]],
  [
    'a message of 2 GB instead of a log-in',
    [forever(Buffer.from([0x4e, 0x7f, 0xff, 0xff, 0xff]), Buffer.alloc(65_536))],
  ],
  ['nothing after the log-in', [once(loggedIn), nothing]],
  ['no row of settings', [once(loggedIn), once(answer(message('C', text('SELECT 0'))))]],
  ['settings of other types', [once(loggedIn), once(fine('many', 'f', 'now', 'f', 'UTF8', '7'))]],
  ['an encoding that moves the cursor', [once(loggedIn), once(fine('150004', 'f', 'now', 'f', '\x1b[2J', '7'))]],
  ['a description without its columns', [once(loggedIn), once(isSet, message('T', int16(30_000)), ready)]],
  ['a row without its values', [once(loggedIn), once(isSet, described, message('D', int16(9)), ready)]],
  ['rows without end', [once(loggedIn), forever(Buffer.concat([isSet, described]), aRow)]],
  [
    'a row of 2 GB',
    [
      once(loggedIn),
      forever(Buffer.concat([isSet, described, Buffer.from([0x44, 0x7f, 0xff, 0xff, 0xff])]), Buffer.alloc(65_536)),
    ],
  ],
  ['notices without end', [once(loggedIn), forever(Buffer.alloc(0), notice)]],
  ['rows that nobody has asked for', [once(loggedIn, described, aRow)]],
  [
    'an error with NUL and without a code',
    [once(loggedIn), once(message('E', Buffer.from('SERROR\0M\x1b[2J\0\0')), ready)],
  ],
  [
    'settings, then rows without end',
    [
      once(loggedIn),
      once(fine('150004', 'f', 'now', 'f', 'UTF8', '7')),
      forever(Buffer.concat([isSet, described]), aRow),
    ],
  ],
  ['settings, then the same for every question', [once(loggedIn), once(fine('150004', 'f', 'now', 'f', 'UTF8', '7'))]],
];

async function serve(sends: readonly Sends[], tls?: Buffer): Promise<string> {
  const strange = await startStrangeServer((socket) => {
    let messages = 0;
    socket.on('data', () => {
      if (tls) socket.write(tls);
      else sends[Math.min(messages++, sends.length - 1)]?.(socket);
    });
  });
  ends.push(strange.close);
  const mode = tls ? 'require' : 'disable';
  return `postgres://u:p@127.0.0.1:${strange.port}/d?sslmode=${mode}&connect_timeout=1`;
}

/**
 * Opens a store there, and expects one sentence of hkctl itself before the 30 s after which a silent server is given up; returns how
 * much memory it took.
 */
async function expectSentence(address: string): Promise<number> {
  const before = process.memoryUsage().rss;
  const opened = engineAt(address, { ...options, env: {} }).open();
  await expect(opened).rejects.toMatchObject({
    code: expect.stringMatching(/^store_/),
    message: expect.stringMatching(/^[\x20-\x7e]+\.$/),
    hint: expect.stringMatching(/./),
  });
  return process.memoryUsage().rss - before;
}

describe('a server that sends', () => {
  it.each(cases)('%s is refused by one sentence, at once and with little memory', async (_, sends) => {
    expect(await expectSentence(await serve(sends))).toBeLessThan(800 << 20);
  });

  it.each([
    ['garbage', Buffer.from('garbage!')],
    ['yes and garbage', Buffer.from('Sgarbage')],
    ['an error', message('E', Buffer.from('SFATAL\0C08P01\0Mno\0\0'))],
  ])('%s instead of TLS is refused, too', async (_, tls) => {
    await expectSentence(await serve([], tls));
  });
});

describe.concurrent('a server that begins to send nonsense while a daemon is served', () => {
  it.each([
    ['an unknown message', Buffer.from('~~~~~~~~~~~~')],
    ['a description without its columns', message('T', int16(30_000))],
    ['a row that nobody has asked for', aRow],
    ['an error without a code', message('E', Buffer.from('SFATAL\0Mgone\0\0'))],
    ['a request to copy', message('G', Buffer.concat([Buffer.of(0), int16(0)]))],
    ['a log-in in the middle', scram],
  ])('%s: it connects anew', async (_, nonsense) => {
    const real = parseLocation(await sharedServer(inject('postgresFolder')), {}).hosts[0];
    const clients = new Set<Socket>();
    const proxy = await startStrangeServer((client) => {
      const server = connect(`${real?.host}/.s.PGSQL.${real?.port}`);
      clients.add(client);
      client.pipe(server).pipe(client);
      server.on('error', () => client.destroy());
      client.on('close', () => {
        clients.delete(client);
        server.destroy();
      });
    });
    ends.push(proxy.close);
    const address = `postgres://postgres@127.0.0.1:${proxy.port}/postgres?sslmode=disable`;
    const database = new PooledDatabase(parseLocation(address, {}));
    await database.startDaemon();
    const ask = () =>
      database.query<{ a: number }>('asks', 'select 1 as a').catch((thrown: { code?: string }) => thrown.code);
    const long = database.query('sleeps', 'select pg_sleep(60)').catch((thrown: { code?: string }) => thrown.code);
    for (const client of clients) client.write(nonsense);
    expect(await Promise.race([long, pause(2000).then(() => 'waits')])).toBe('store_unreachable');
    expect(await until(ask, (result) => typeof result === 'object')).toEqual([{ a: 1 }]);
    await database.close();
  });
});
