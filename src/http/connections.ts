import { randomUUID } from 'node:crypto';
import { type Server as HttpServer, STATUS_CODES } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from './log.ts';

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
  connections: 2_000,
} as const;

/** Sets the limits of a server's connections, and answers properly what is no HTTP. */
export function guardConnections(server: HttpServer | HttpsServer, log: Log): void {
  const { headersMs, requestMs, keepAliveMs, idleMs, connections } = connectionLimits;
  server.headersTimeout = headersMs;
  server.requestTimeout = requestMs;
  server.keepAliveTimeout = keepAliveMs;
  server.maxConnections = connections;
  server.maxRequestsPerSocket = 0;
  server.timeout = idleMs;
  // Without a listener of ours Node destroys the socket, which is what is wanted.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket, log));
  cutSlowConnections(server);
}

/**
 * Node looks for slow requests every 30 s only, and for slow readers not at all (each byte taken starts its clock anew):
 * once a second, those over their time are cut. Nothing is done for each request.
 */
function cutSlowConnections(server: HttpServer | HttpsServer): void {
  const { headersMs, answerMs } = connectionLimits;
  const watched = new Map<Socket, { openedAt: number; fullSince: number | undefined; hasAsked: boolean }>();
  const watch = (socket: Socket): void => {
    watched.set(socket, { openedAt: Date.now(), fullSince: undefined, hasAsked: false });
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
    unasked = 0;
    for (const [socket, state] of watched) {
      if (!state.hasAsked) unasked++;
      if (!state.hasAsked && now - state.openedAt > headersMs && !isOuter(server, socket)) socket.destroy();
      state.fullSince = socket.writableLength > 0 ? (state.fullSince ?? now) : undefined;
      if (state.fullSince !== undefined && now - state.fullSince > answerMs) socket.destroy();
    }
  }, 1000);
  timer.unref();
  server.on('close', () => clearInterval(timer));
}

/** The encrypted side of a TLS connection, which never asks: the inner one does. */
function isOuter(server: HttpServer | HttpsServer, socket: Socket): boolean {
  return 'setSecureContext' in server && !('encrypted' in socket);
}

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** What Node's parser refused never becomes a request: a short problem document, and the connection ends. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, log: Log): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statuses[error.code ?? ''] ?? 400;
  const title = STATUS_CODES[status] ?? 'Bad Request';
  const id = randomUUID();
  log.debug({ id, status, code: error.code }, 'no HTTP request');
  const body = JSON.stringify({ type: 'about:blank', title, status, request_id: id });
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nConnection: close\r\nContent-Type: application/problem+json\r\n` +
      `X-Content-Type-Options: nosniff\r\nX-Request-Id: ${id}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
