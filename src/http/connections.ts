import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';

/** How long a client may take, and how many there may be; each cuts off whoever would hold a connection for nothing. */
export const connectionLimits = {
  /** All headers of a request. */
  headersMs: 10_000,
  /** A whole request, its body included. */
  requestMs: 60_000,
  /** Between two requests. */
  keepAliveMs: 65_000,
  /** Without a byte in either direction while a request is under way. */
  idleMs: 30_000,
  /** An answer that the client is slow to take. */
  answerMs: 120_000,
  /** The same while memory for answers is tight. */
  tightAnswerMs: 10_000,
  /** How often those are looked for that are over their time. */
  lookMs: 1_000,
  connections: 2_000,
} as const;

export type ConnectionLimits = { [name in keyof typeof connectionLimits]: number };

/** Sets the limits of a server's connections; `isTight` tells whether memory for answers is. */
export function limitConnections(
  server: HttpServer | HttpsServer,
  limits: ConnectionLimits,
  isTight: () => boolean,
): void {
  server.headersTimeout = limits.headersMs;
  server.requestTimeout = limits.requestMs;
  server.keepAliveTimeout = limits.keepAliveMs;
  server.maxConnections = limits.connections;
  server.maxRequestsPerSocket = 0;
  // Without a listener of ours Node destroys the socket, which is what is wanted.
  server.timeout = limits.idleMs;
  cutSlowConnections(server, limits, isTight);
}

interface Watched {
  openedAt: number;
  hasAsked: boolean;
  /** What it has not taken yet: since when, and the bytes written up to then. */
  waiting: { since: number; upTo: number } | undefined;
}

/**
 * Node looks for slow requests every 30 s only, and for slow readers not at all (each byte taken starts its clock anew):
 * those over their time are cut here. Nothing is done for each request.
 */
function cutSlowConnections(
  server: HttpServer | HttpsServer,
  { headersMs, answerMs, tightAnswerMs, lookMs }: ConnectionLimits,
  isTight: () => boolean,
): void {
  const watched = new Map<Socket, Watched>();
  const watch = (socket: Socket): void => {
    watched.set(socket, { openedAt: Date.now(), hasAsked: false, waiting: undefined });
    socket.once('close', () => watched.delete(socket));
  };
  // Under TLS a request comes with the inner socket, and the outer one waits for the handshake.
  server.on('connection', watch);
  server.on('secureConnection', watch);
  let unasked = 0;
  server.on('connection', () => {
    unasked++;
  });
  server.on('request', ({ socket }) => {
    if (unasked === 0) return;
    const state = watched.get(socket);
    if (state === undefined || state.hasAsked) return;
    state.hasAsked = true;
  });
  const timer = setInterval(() => {
    const now = Date.now();
    const longestMs = isTight() ? tightAnswerMs : answerMs;
    unasked = 0;
    for (const [socket, state] of watched) {
      if (!state.hasAsked) unasked++;
      if (!state.hasAsked && now - state.openedAt > headersMs && !isOuter(server, socket)) socket.destroy();
      state.waiting = stillWaiting(socket, state.waiting, now);
      if (state.waiting !== undefined && now - state.waiting.since > longestMs) cutOff(socket);
    }
  }, lookMs);
  timer.unref();
  server.on('close', () => clearInterval(timer));
}

/** Whoever has taken all that waited begins anew: a connection in use all the time is not one that takes nothing. */
function stillWaiting(socket: Socket, before: Watched['waiting'], now: number): Watched['waiting'] {
  if (socket.writableLength === 0) return undefined;
  const isSame = before !== undefined && socket.bytesWritten - socket.writableLength < before.upTo;
  return isSame ? before : { since: now, upTo: socket.bytesWritten };
}

/** Drops also what the system holds for a reader, megabytes of it, where the connection is a plain one. */
function cutOff(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

/** The encrypted side of a TLS connection, which never asks: the inner one does. */
function isOuter(server: HttpServer | HttpsServer, socket: Socket): boolean {
  return 'setSecureContext' in server && !('encrypted' in socket);
}
