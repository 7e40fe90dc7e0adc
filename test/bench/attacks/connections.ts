import type { Socket } from 'node:net';
import * as bodies from './bodies.ts';
import { type Attack, askForever, drip, flood, writeForever } from './flood.ts';
import { hostileTexts } from './hostile-texts.ts';
import { ordersAsCsv, pagesNdjson, smallPages } from './reads.ts';
import { get, postHead } from './requests.ts';

const many = 2_100;

/** Connections that send nothing at all; under TLS without a handshake. */
export const silentConnections: Attack = (target, signal) =>
  flood(target, signal, { connections: many, raw: true, play: (socket) => socket.resume() });

/** The beginning of a handshake, or of a head, and no more. */
export const halfHello: Attack = (target, signal) =>
  flood(target, signal, {
    connections: many,
    raw: true,
    play(socket) {
      socket.resume();
      socket.write(target.tls ? Buffer.from('1603010200010001fc0303', 'hex') : 'GET /api/v1/me HT');
    },
  });

/** The client's end is closed as soon as it is open, and the connection is kept. */
export const halfClosed: Attack = (target, signal) =>
  flood(target, signal, {
    connections: many,
    raw: true,
    play(socket) {
      socket.resume();
      socket.end();
    },
  });

/** One request without a key, and then nothing, on more connections than there may be. */
export const idleWithoutKey: Attack = (target, signal) =>
  flood(target, signal, {
    connections: many,
    play(socket) {
      socket.resume();
      socket.write(get('/healthz'));
    },
  });

/** The same with a key. */
export const idleWithKey: Attack = (target, signal) =>
  flood(target, signal, {
    connections: many,
    play(socket) {
      socket.resume();
      socket.write(get('/api/v1/me', target.key));
    },
  });

/** A header a second, never the last one. */
export const endlessHeads: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 1000,
    play(socket) {
      socket.resume();
      socket.write(get('/api/v1/me', target.key).slice(0, -2));
      drip(socket, 'X: y\r\n', 1000);
    },
  });

/** Thousands of requests in one piece, answered or not. */
export const pipelining: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 4,
    play: (socket) => writeForever(socket, get('/api/v1/me', target.key).repeat(4000)),
  });

/** The same of the shortest requests that there are, without a key. */
export const shortPipelining: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 4,
    play: (socket) => writeForever(socket, 'GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(20_000)),
  });

/** The same, and no answer is taken. */
export const unreadAnswers: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 50,
    play(socket) {
      writeForever(socket, get('/api/v1/openapi.json', target.key).repeat(200));
      socket.pause();
    },
  });

/** As many connections as one key may have, which send as many requests as may wait at the same instant, over and over. */
export const volleys: Attack = (target, signal) => {
  const bytes = Buffer.from(get('/api/v1/me', target.key).repeat(65));

  return flood(target, signal, {
    connections: 1_400,
    play(socket) {
      socket.resume();
      everySecond(socket, () => socket.write(bytes));
    },
  });
};

/** As many connections as one address may have, each with as many requests as may wait, at the same instant. */
export const allowedVolleys: Attack = (target, signal) => {
  const bytes = Buffer.from(get('/api/v1/me', target.key).repeat(9));
  return flood(target, signal, {
    connections: 490,
    play(socket) {
      socket.resume();
      everySecond(socket, () => socket.write(bytes));
    },
  });
};

/** The same of bodies in chunks of a single byte, none of which is finished. */
export const chunkVolleys: Attack = (target, signal) => {
  const head = postHead(target.key, 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked');
  const chunks = '1\r\n \r\n'.repeat(10_000);
  return flood(target, signal, {
    connections: 490,
    play(socket) {
      socket.resume();
      socket.write(head);
      everySecond(socket, () => socket.write(chunks));
    },
  });
};

/** The same of the shortest requests that there are, without a key, and more than may wait. */
export const shortVolleys: Attack = (target, signal) => {
  const bytes = Buffer.from('GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(2_400));

  return flood(target, signal, {
    connections: 400,
    play(socket) {
      socket.resume();
      everySecond(socket, () => socket.write(bytes));
    },
  });
};

/** Hundreds of requests on each connection, which is then reset before an answer was taken. */
export const resetPipelines: Attack = (target, signal) => {
  const bytes = Buffer.from(get('/api/v1/openapi.json', target.key).repeat(450));

  return flood(target, signal, {
    connections: 400,
    play(socket) {
      socket.pause().write(bytes);
      everySecond(socket, () => socket.destroy());
    },
  });
};

/** Calls at the same instant of each second, for as long as a connection is open. */
function everySecond(socket: Socket, call: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  const next = (): void => {
    timer = setTimeout(
      () => {
        call();
        if (!socket.destroyed) next();
      },
      1000 - (Date.now() % 1000),
    );
  };
  socket.once('close', () => clearTimeout(timer));
  next();
}

/** As many headers as fit. */
export const manyHeaders: Attack = (target, signal) => {
  const headers = Array.from({ length: 1700 }, (_, index) => `${index.toString(36)}:1`);
  const request = get('/api/v1/me', target.key, ...headers);
  return flood(target, signal, { connections: 20, play: (socket) => askForever(socket, request) });
};

/** A query as long as it may be, read to its end. */
export const longQueries: Attack = (target, signal) => {
  const request = get(`/api/v1/parts?${'a=%41&'.repeat(2500)}`, target.key);
  return flood(target, signal, { connections: 20, play: (socket) => askForever(socket, request) });
};

/** A cursor as long as it may be. */
export const longCursors: Attack = (target, signal) => {
  const request = get(`/api/v1/parts?cursor=${'A'.repeat(15_000)}`, target.key);
  return flood(target, signal, { connections: 20, play: (socket) => askForever(socket, request) });
};

/** Keys that nobody made, one after the other. */
export const wrongKeys: Attack = (target, signal) => {
  const request = get('/api/v1/me', `hk_${'A'.repeat(49)}`);
  return flood(target, signal, { connections: 50, play: (socket) => askForever(socket, request) });
};

/** Connections that are opened and closed at once. */
export const openAndClose: Attack = (target, signal) =>
  flood(target, signal, { connections: 300, play: (socket) => socket.destroy() });

/** HTTP/1.0, each request on a connection of its own. */
export const http10: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 200,
    play: (socket) =>
      askForever(socket, get('/api/v1/me', target.key).replace('HTTP/1.1', 'HTTP/1.0')),
  });

/** Documents, compressed for everybody anew where they were not kept. */
export const compressedAnswers: Attack = (target, signal) => {
  const codings = ['br', 'gzip', 'br;q=0.5, gzip;q=0.1', 'identity'];
  const all = codings
    .map((coding) => get('/api/v1/openapi.json', target.key, `Accept-Encoding: ${coding}`))
    .join('');
  return flood(target, signal, { connections: 8, play: (socket) => writeForever(socket, all) });
};

/** The largest files that need no key, over and over. */
export const documentFiles: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 60,
    play: (socket) => askForever(socket, get('/api/v1/docs/swagger-ui-bundle.js')),
  });

/** The metrics, which a client on the same machine may read, over and over. */
export const metrics: Attack = (target, signal) =>
  flood(target, signal, { connections: 20, play: (socket) => askForever(socket, get('/metrics')) });

/** One client that does the most costly of everything at the same time. */
export const everything: Attack = async (target, signal) => {
  const all = [
    ordersAsCsv,
    pagesNdjson,
    smallPages,
    documentFiles,
    compressedAnswers,
    bodies.unfinishedBodies,
    bodies.refusedBodies,
    bodies.compressedElements,
    bodies.unknownSensors,
    bodies.fullBodies,
  ];
  await Promise.all(all.map((attack) => attack(target, signal)));
};

const own = {
  everything,
  documentFiles,
  metrics,
  silentConnections,
  halfHello,
  halfClosed,
  idleWithoutKey,
  idleWithKey,
  endlessHeads,
  pipelining,
  shortPipelining,
  unreadAnswers,
  volleys,
  allowedVolleys,
  chunkVolleys,
  shortVolleys,
  resetPipelines,
  manyHeaders,
  longQueries,
  longCursors,
  wrongKeys,
  openAndClose,
  http10,
  compressedAnswers,
};

/**
 * What one client may do with connections and bodies to hold up the others. Run them in a process of their own: they are
 * busy, and would hold up measurements beside them.
 */
export const connectionAttacks: readonly { name: string; run: Attack }[] = [
  ...Object.entries({ ...own, ...bodies }).map(([name, run]) => ({ name, run })),
  ...hostileTexts,
];
