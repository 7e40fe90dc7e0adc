import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { Socket } from 'node:net';
import type { Log } from '../monitoring/log.ts';
import { Arrivals } from './arrivals.ts';
import { ConnectionDrops, type DropReason } from './connection-drops.ts';
import { type Connection, ConnectionTable, destroyConnection, isUnfinished } from './connection-table.ts';

/** How long a client may take, and how many there may be; each cuts off whoever would hold a connection for nothing. */
export const connectionLimits = {
  /** All headers of a request, and before them the handshake of TLS. */
  headersMs: 10_000,
  /** A whole request, its body included. */
  requestMs: 60_000,
  /** Between two requests. */
  keepAliveMs: 65_000,
  /** A body that is still coming after this time must have come at {@link slowestBody} at least. */
  bodyMs: 10_000,
  /** Without a byte in either direction while a request is under way. */
  idleMs: 30_000,
  /** An answer that the client is slow to take. */
  answerMs: 120_000,
  /** The same while memory for answers is tight. */
  tightAnswerMs: 10_000,
  /** How often those are looked for that are over their time. */
  checkEveryMs: 1_000,
  connections: 2_000,
} as const;

export type ConnectionLimits = { [name in keyof typeof connectionLimits]: number };

/** A key may hold this part of all connections; beyond it, where there are too many, its own are closed first. */
const keyShare = 3 / 4;
/** Bytes a second of a body that takes long: a modem of the last century sends five times as many. */
export const slowestBody = 1024;
/** While the daemon drains, a client that has begun its first request may take so long to finish its head. */
const drainHeadMs = 1_000;

/** The connections of a server: how many, whose, and which of them go when they are too slow or too many. */
export class Connections {
  readonly table = new ConnectionTable();
  readonly drops: ConnectionDrops;
  readonly arrivals = new Arrivals();
  readonly #limits: ConnectionLimits;
  /** Connections of which no request has been seen; while there are none, a request costs nothing here. */
  #unasked = 0;

  constructor(limits: ConnectionLimits, log: Log) {
    this.#limits = limits;
    this.drops = new ConnectionDrops(log);
  }

  /** Sets the limits of a server's connections and watches them; `isTight` tells whether memory for answers is. */
  watch(server: HttpServer | HttpsServer, isTight: () => boolean): void {
    const limits = this.#limits;
    server.headersTimeout = limits.headersMs;
    server.requestTimeout = limits.requestMs;
    server.keepAliveTimeout = limits.keepAliveMs;
    server.maxRequestsPerSocket = 0;
    // Without a listener of ours Node destroys the socket, which is what is wanted.
    server.timeout = limits.idleMs;
    const isEncrypted = 'setSecureContext' in server;
    // Before Node's own listener: under TLS that one takes the socket over.
    server.prependListener('connection', (socket: Socket) => {
      this.arrivals.note();
      this.#accept(socket, isEncrypted);
    });
    // Node counts 120 s for a handshake and keeps the socket afterwards; ours are cut by the timer below.
    server.on('secureConnection', (channel: Socket) => {
      const accepted: unknown = Reflect.get(channel, '_parent'); // the only way from the decrypted side to the other
      const connection = accepted instanceof Socket ? this.table.of(accepted) : undefined;
      if (connection) this.table.open(connection, channel);
    });
    server.on('request', ({ socket }) => this.#noteFirstRequest(socket));
    const timer = setInterval(() => this.#cutSlow(isTight()), limits.checkEveryMs);
    timer.unref();
    server.on('close', () => clearInterval(timer));
  }

  /** Closes those that have sent nothing, and after a moment those whose first request has not come: called while draining. */
  closeSilent(drainingSince: number): void {
    const isLate = Date.now() - drainingSince > drainHeadMs;
    for (const connection of this.table) {
      const { hasAsked, channel, socket } = connection;
      const isSilent = channel === undefined || (channel === socket && socket.bytesRead === 0);
      if (!hasAsked && (isSilent || isLate)) destroyConnection(connection);
    }
  }

  /** Closes the connection of a client that sends more requests at once than there is memory for. */
  shed(socket: Socket): void {
    const connection = this.table.of(socket);
    if (connection) this.#drop(connection, 'pipelining');
    else socket.destroy();
  }

  /** Closes every connection, in whatever state it is. */
  closeAll(): void {
    for (const connection of this.table) destroyConnection(connection);
  }

  #noteFirstRequest(socket: Socket): void {
    if (this.#unasked === 0) return;
    const connection = this.table.of(socket);
    if (connection === undefined || connection.hasAsked) return;
    connection.hasAsked = true;
    this.#unasked--;
  }

  #accept(socket: Socket, isEncrypted: boolean): void {
    const { connections } = this.#limits;
    if (this.table.size >= connections) {
      const least = this.table.leastNeeded(connections * keyShare);
      if (least === undefined) {
        this.drops.note('refused', this.table.size);
        // Node's own listener comes after this one and expects an open socket.
        process.nextTick(() => socket.destroy());
        return;
      }
      this.#drop(least.connection, least.reason);
    }
    const connection = this.table.add(socket, isEncrypted);
    this.#unasked++;
    socket.once('close', () => this.#forget(connection));
  }

  #drop(connection: Connection, reason: DropReason): void {
    this.drops.note(reason, this.table.size);
    // Its place is free at once; the sockets say only later that they are closed.
    this.#forget(connection);
    destroyConnection(connection);
  }

  #forget(connection: Connection): void {
    if (!this.table.remove(connection)) return;
    if (!connection.hasAsked) this.#unasked--;
  }

  /**
   * Node looks for slow requests every 30 s only, and for slow readers and for handshakes that are not finished not at
   * all: those over their time are cut here. Nothing is done for each request.
   */
  #cutSlow(isTight: boolean): void {
    const { headersMs, bodyMs, answerMs, tightAnswerMs } = this.#limits;
    const now = Date.now();
    const longestMs = isTight ? tightAnswerMs : answerMs;
    for (const connection of this.table) {
      const { channel, hasAsked, openedAt } = connection;
      if (!hasAsked && now - openedAt > headersMs) {
        this.#drop(connection, channel === undefined ? 'handshake_timeout' : 'head_timeout');
        continue;
      }
      if (channel === undefined) continue;
      connection.body = stillComing(connection, now);
      if (connection.body !== undefined && isTooSlow(connection.socket, connection.body, now, bodyMs)) {
        this.#drop(connection, 'slow_body');
        continue;
      }
      connection.waiting = stillWaiting(channel, connection.waiting, now);
      if (connection.waiting !== undefined && now - connection.waiting.since > longestMs) {
        // Drops also what the system holds for a reader, megabytes of it, where the connection is a plain one.
        if (channel === connection.socket) channel.resetAndDestroy();
        this.#drop(connection, 'slow_reader');
      }
    }
  }
}

/** Whoever has taken all that waited begins anew: a connection in use all the time is not one that takes nothing. */
function stillWaiting(socket: Socket, before: Connection['waiting'], now: number): Connection['waiting'] {
  if (socket.writableLength === 0) return undefined;
  const isSame = before !== undefined && socket.bytesWritten - socket.writableLength < before.upTo;
  return isSame ? before : { since: now, upTo: socket.bytesWritten };
}

/** When the body that is coming was seen first, and how much the connection had brought by then. */
function stillComing(connection: Connection, now: number): Connection['body'] {
  if (!isUnfinished(connection)) return undefined;
  return connection.body ?? { since: now, from: connection.socket.bytesRead };
}

function isTooSlow(
  { bytesRead }: Socket,
  { since, from }: { since: number; from: number },
  now: number,
  graceMs: number,
) {
  return now - since > graceMs && bytesRead - from < ((now - since) / 1000) * slowestBody;
}
