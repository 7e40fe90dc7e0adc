import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { descriptorLimit, requireDescriptors } from '../../core/files/descriptors.ts';
import { createAddressFilter } from '../../core/keys/networks.ts';
import { networkOf, plainAddress } from '../auth/client-addresses.ts';
import { BodyPace } from '../fairness/body-pace.ts';
import { Iterations } from '../fairness/iterations.ts';
import { Pipelining } from '../fairness/pipelining.ts';
import type { Log } from '../monitoring/log.ts';
import { createDrops, type DropReason } from './connections/drops.ts';
import {
  answerOf,
  type ClientConnection,
  ConnectionTable,
  connectionOf,
  destroyConnection,
  isUnfinished,
  leastNeeded,
} from './connections/table.ts';
import { closeSoon, lastAnswerMs } from './lingering.ts';

/** Limits of time and number beyond which a connection is closed. */
export const connectionLimits = {
  /** The TLS handshake and all headers of a request. */
  headersMs: 10_000,
  /** A whole request with its body. */
  requestMs: 60_000,
  /** Between two requests. */
  keepAliveMs: 65_000,
  /** After this time a body must have arrived at {@link minBodyRate} at least. */
  bodyMs: 10_000,
  /** A body that comes after its answer, and no byte of it; both are nginx's `lingering_time` and `lingering_timeout`. */
  lingerMs: 30_000,
  lingerIdleMs: 5_000,
  /** No byte in either direction while a request is in progress. */
  idleMs: 30_000,
  /** From the start of an answer until the client has received it. */
  answerMs: 120_000,
  /** The same while memory for answers is tight. */
  tightAnswerMs: 10_000,
  /**
   * From `stop` until answers in progress are cut off. Docker kills a container 10 s after SIGTERM, and the counts in memory are
   * written after this.
   */
  drainMs: 4_000,
  /** The interval at which connections are checked against these times. */
  checkEveryMs: 1_000,
  /** All connections together, or fewer if the limit of open files is smaller. */
  connections: 2_000,
  /** Those of one address, unless it is a trusted proxy. */
  connectionsOfAddress: 500,
} as const;

export type ConnectionLimits = { [name in keyof typeof connectionLimits]: number };

/** The least bytes a second of a long body: a modem of the 1990s sends five times as many. */
const minBodyRate = 1024;
/** The time in which a client must finish the head of its first request, or a body after its answer, while the daemon drains. */
const drainClientMs = 1_000;

/** Descriptors for everything but connections: about 50 for the store and its threads, further ones for programs that are run. */
const otherDescriptors = 96;
const minConnections = 32;

/** The least time between two connections that are closed because too many requests wait: their clients open others at once. */
const closingEveryMs = 10;

/**
 * The connections that the limit of open files leaves, up to a maximum. Throws `store_unreadable` if it leaves too few to serve:
 * without a descriptor, a connection would be refused without a line in the log.
 */
export function allowedConnections(maximum: number): number {
  requireDescriptors(otherDescriptors + minConnections);
  return Math.min(maximum, descriptorLimit() - otherDescriptors);
}

/** Closes connections of a server that are too slow, and some of them if there are too many. */
export class Connections {
  readonly table = new ConnectionTable();
  readonly drops: ReturnType<typeof createDrops>;
  readonly iterations = new Iterations();
  /** Slows down connections whose bodies arrive together. */
  readonly pace = new BodyPace(this.iterations, (socket) =>
    this.pipelining.restAfterPieces(socket),
  );
  readonly pipelining = new Pipelining(
    this.table,
    (connection) => this.#closeAfterAnswer(connection),
    this.iterations,
  );
  readonly #limits: ConnectionLimits;
  /** The time at which the last connection with too many requests is closed, now or later. */
  #lastClosingAt = 0;
  readonly #isTrustedProxy: (address: string) => boolean;

  constructor(limits: ConnectionLimits, log: Log, trustedProxies: readonly string[] = []) {
    this.#limits = limits;
    this.#isTrustedProxy = createAddressFilter(trustedProxies);
    this.drops = createDrops(log);
  }

  /** Sets the limits of a server's connections and watches them; `isTight` reports whether memory for answers is short. */
  watch(server: HttpServer | HttpsServer, isTight: () => boolean): void {
    const limits = this.#limits;
    server.headersTimeout = limits.headersMs;
    server.requestTimeout = limits.requestMs;
    server.keepAliveTimeout = limits.keepAliveMs;
    server.maxRequestsPerSocket = 0;
    // Without a listener for `timeout` Node destroys the socket, as intended.
    server.timeout = limits.idleMs;
    // By itself Node drops the answer to a client that ends its side and then reads; its types lack this member.
    Object.assign(server, { httpAllowHalfOpen: true });

    if ('setSecureContext' in server) this.#acceptEncrypted(server);
    else this.#acceptPlain(server);

    const maxAnswerMs = () => (isTight() ? limits.tightAnswerMs : limits.answerMs);
    const checkTimer = setInterval(() => this.#closeSlow(maxAnswerMs()), limits.checkEveryMs);
    checkTimer.unref();
    server.on('close', () => clearInterval(checkTimer));
  }

  /**
   * Closes connections that have sent nothing, and after a moment connections without a first request or with an answered one
   * whose body still comes; called while draining. With `waits` connections that have sent nothing get that moment, too.
   */
  closeSilent(drainingSince: number, waits = false): void {
    const nowMs = performance.now();
    const isLate = (sinceMs: number): boolean =>
      nowMs - Math.max(sinceMs, drainingSince) > drainClientMs;
    for (const connection of this.table) {
      const { hasAsked, channel, socket, lingering } = connection;
      const isSilent = channel === undefined || (channel === socket && socket.bytesRead === 0);
      const isUnneeded = !hasAsked && ((isSilent && !waits) || isLate(drainingSince));
      if (isUnneeded || (lingering && isLate(lingering.since))) destroyConnection(connection);
    }
  }

  closeAll(): void {
    for (const connection of this.table) destroyConnection(connection);
  }

  #acceptPlain(server: HttpServer): void {
    server.prependListener('connection', (socket: Socket) => this.#accept(socket, false));
    // After Node's own listener, which begins to read.
    server.on('connection', (socket: Socket) => {
      const connection = connectionOf(socket);
      if (connection) this.pipelining.accept(connection);
    });
  }

  /**
   * Takes the place of Node's own listeners, so that connections begin their handshakes, which take a millisecond each, and their
   * requests in turn: those that came with the end of the handshake are decrypted at once, also of a socket that is paused.
   */
  #acceptEncrypted(server: HttpsServer): void {
    const shakeHands = takeListeners(server, 'connection');
    const serve = takeListeners(server, 'secureConnection');
    server.on('connection', (socket: Socket) => {
      const connection = this.#accept(socket, true);
      if (connection === undefined) return;
      // While it waits for its turn; its end is seen by `close`.
      socket.on('error', () => destroyConnection(connection));
      connection.serve = () => {
        if (!socket.destroyed) shakeHands(socket);
      };
      this.pipelining.accept(connection);
    });
    // Node allows 120 s for a handshake and keeps the socket afterwards; the check of times closes it sooner.
    server.on('secureConnection', (channel: Socket) => {
      // Not before the handshake: a client that ends its side by then is gone.
      channel.allowHalfOpen = true;
      const connection = this.table.open(channel);
      if (connection === undefined) {
        // No limit holds for one that is not in the table.
        channel.destroy();
        return;
      }
      channel.on('error', () => destroyConnection(connection));
      connection.serve = () => {
        // Its end came while it waited, and Node would not learn of it.
        if (channel.readableEnded) destroyConnection(connection);
        else serve(channel);
      };
      this.pipelining.accept(connection);
    });
  }

  #accept(socket: Socket, isEncrypted: boolean): ClientConnection | undefined {
    this.iterations.accepted++;
    const isFull = this.table.size >= this.#limits.connections;
    const ofAddress = this.#tooManyOf(plainAddress(socket.remoteAddress ?? ''));
    if (isFull || ofAddress !== undefined) {
      const superfluous = leastNeeded(ofAddress ?? this.table);
      if (superfluous === undefined) {
        this.drops.count('refused', this.table.size);
        // Node's own listener comes after this one and expects an open socket.
        process.nextTick(() => socket.destroy());
        return undefined;
      }
      this.#drop(superfluous.connection, superfluous.reason);
    }
    const connection = this.table.add(socket, isEncrypted);
    socket.once('close', () => this.#forget(connection));
    return connection;
  }

  /** The connections of an address that has no room for another one; undefined if it has. */
  #tooManyOf(address: string): ReadonlySet<ClientConnection> | undefined {
    const connections = this.table.ofAddress(networkOf(address));
    if (connections.size < this.#limits.connectionsOfAddress) return undefined;
    return this.#isTrustedProxy(address) ? undefined : connections;
  }

  /** Closes a connection on which too many requests wait, at its turn; an answer that nobody takes is given a second. */
  #closeAfterAnswer(connection: ClientConnection): void {
    this.drops.count('pipelining', this.table.size);
    const nowMs = performance.now();
    this.#lastClosingAt = Math.max(nowMs, this.#lastClosingAt + closingEveryMs);
    setTimeout(() => {
      const { channel } = connection;
      if (channel === undefined) return;
      const answer = answerOf(connection);
      if (answer) answer.once('close', () => closeSoon(channel));
      else closeSoon(channel);
      setTimeout(() => destroyConnection(connection), lastAnswerMs).unref();
    }, this.#lastClosingAt - nowMs).unref();
  }

  #drop(connection: ClientConnection, reason: DropReason): void {
    this.drops.count(reason, this.table.size);
    // Frees the place at once; the sockets emit `close` only later.
    this.#forget(connection);
    destroyConnection(connection);
  }

  #forget(connection: ClientConnection): void {
    if (this.table.remove(connection)) this.pipelining.forget(connection);
  }

  /**
   * Closes connections over their time: Node checks for slow requests only every 30 s, and for slow readers and unfinished
   * handshakes never.
   */
  #closeSlow(maxAnswerMs: number): void {
    const nowMs = performance.now();
    for (const connection of this.table) {
      const reason = this.#overdue(connection, nowMs, maxAnswerMs);
      if (reason === undefined) continue;
      // A reset also drops the megabytes that the system buffers for a plain connection.
      if (reason === 'slow_reader' && connection.channel === connection.socket)
        connection.socket.resetAndDestroy();
      this.#drop(connection, reason);
    }
  }

  #overdue(
    connection: ClientConnection,
    nowMs: number,
    maxAnswerMs: number,
  ): DropReason | undefined {
    const { headersMs, bodyMs } = this.#limits;
    const { socket, channel, hasAsked, openedAt, lingering } = connection;
    if (!hasAsked && nowMs - openedAt > headersMs)
      return channel === undefined ? 'handshake_timeout' : 'head_timeout';
    if (channel === undefined) return undefined;
    if (lingering !== undefined)
      return this.#hasLingered(socket, lingering, nowMs) ? 'lingering' : undefined;

    connection.body = stillComing(connection, nowMs);
    if (connection.body !== undefined && isTooSlow(socket, connection.body, nowMs, bodyMs))
      return 'slow_body';

    const unsentBytes = answerOf(connection) ? connection.unsent : 0;
    connection.waiting = stillWaiting(channel, unsentBytes, connection.waiting, nowMs);
    if (connection.waiting === undefined) return undefined;
    return nowMs - connection.waiting.since > maxAnswerMs ? 'slow_reader' : undefined;
  }

  #hasLingered(
    { bytesRead }: Socket,
    lingering: NonNullable<ClientConnection['lingering']>,
    nowMs: number,
  ): boolean {
    const { lingerMs, lingerIdleMs } = this.#limits;
    if (bytesRead !== lingering.bytesRead) Object.assign(lingering, { bytesRead, readAt: nowMs });
    return nowMs - lingering.since > lingerMs || nowMs - lingering.readAt > lingerIdleMs;
  }
}

/** Removes the listeners of an event, and returns a function that calls them. */
function takeListeners(server: HttpsServer, event: string): (socket: Socket) => void {
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  return (socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
}

/** The wait restarts once the client has received all bytes of the last wait, so that a busy connection is not a slow reader. */
function stillWaiting(
  { bytesWritten, writableLength }: Socket,
  unsentBytes: number,
  waitingBefore: ClientConnection['waiting'],
  nowMs: number,
): ClientConnection['waiting'] {
  if (writableLength + unsentBytes === 0) return undefined;
  const isSameWait =
    waitingBefore !== undefined && bytesWritten - writableLength < waitingBefore.upTo;
  return isSameWait ? waitingBefore : { since: nowMs, upTo: bytesWritten + unsentBytes };
}

/** The time at which a body was first seen arriving, and the bytes received by then. */
function stillComing(connection: ClientConnection, nowMs: number): ClientConnection['body'] {
  if (!isUnfinished(connection)) return undefined;
  return connection.body ?? { since: nowMs, from: connection.socket.bytesRead };
}

function isTooSlow(
  { bytesRead }: Socket,
  { since, from }: { since: number; from: number },
  nowMs: number,
  graceMs: number,
) {
  const elapsedMs = nowMs - since;
  return elapsedMs > graceMs && bytesRead - from < (elapsedMs / 1000) * minBodyRate;
}
