import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FairQueue } from '../../core/sharing/fair-queue.ts';
import {
  answerOf,
  type ClientConnection,
  type ConnectionTable,
  clientOf,
  connectionOf,
} from '../net/connections/table.ts';
import type { Iterations, Job } from './iterations.ts';

/** This many requests may wait on one connection (promise 8.4); beyond them it closes after the answer in progress. */
const maxWaiting = 8;
/** Once a client has brought this many requests in one event-loop iteration, its connections are read from one after the other. */
const maxPerIteration = 64;
/** A handshake takes a millisecond, as long as so many requests. */
const perHandshake = maxPerIteration / 4;
/** After every thousand small pieces of a body its client rests this long: four times that of reading the pieces. */
const piecesRestMs = 8;

/**
 * Begins the requests of a connection one after the other if a client sends several without waiting for the answers
 * (pipelining: RFC 9112, section 9.3.2), and closes connections on which too many wait. Node reads 64 KiB
 * of each connection in one event-loop iteration and passes all of it on. Connections of a client that brings much are therefore
 * held, and read from one in each iteration. Otherwise 490 connections that send at the same instant make iterations of 92 ms
 * (nine requests) and 1,600 ms (chunks of a byte); with it, 14 and 31 ms.
 */
export class Pipelining {
  readonly #table: ConnectionTable;
  readonly #close: (connection: ClientConnection) => void;
  /** Held connections, round-robin by client. */
  readonly #held = new FairQueue<ClientConnection>();
  readonly #readingJob: Job;
  /** The requests that wait, and bodies in chunks, that each client has brought in this iteration. */
  readonly #broughtByClient = new Map<string, number>();
  readonly #restUntil = new Map<string, number>();
  readonly #clock: () => number;

  /** `close` ends a connection on which too many requests wait. */
  constructor(
    table: ConnectionTable,
    close: (connection: ClientConnection) => void,
    iterations: Iterations,
  ) {
    this.#table = table;
    this.#close = close;
    this.#clock = iterations.clock;
    this.#readingJob = iterations.job(() => this.#readNext());
  }

  /** Calls `listener` once the answers to all earlier requests of a connection have been sent, and never if it closes before. */
  inOrder(listener: RequestListener): RequestListener {
    const beginRequest: RequestListener = (req, res) => {
      const connection = connectionOf(req.socket);
      if (connection) {
        connection.hasAsked = true;
        connection.answer = res;
        connection.unsent = 0;
      }
      listener(req, res);
    };
    return (req, res) => {
      if (isInChunks(req)) this.#readOnce(req.socket);
      // Node gives a response the socket once it is the next one.
      if (res.socket === null) this.#waitForTurn(req.socket, res, () => beginRequest(req, res));
      else beginRequest(req, res);
    };
  }

  /** Takes a new connection, and holds it if others of its client are held or that client has just brought much. */
  accept(connection: ClientConnection): void {
    const { address, channel } = connection;
    // A plain one is served already.
    if (connection.serve === undefined) keepHeld(connection);
    const hasBroughtMuch = (this.#broughtByClient.get(address) ?? 0) >= maxPerIteration;
    if (!hasBroughtMuch && this.#held.sizeOf(address) === 0 && this.#hasRested(address)) {
      giveToNode(connection);
      if (channel === undefined) this.#count(perHandshake, connection);
      return;
    }
    if (!this.#hold(connection, address)) return;
    // The newest first: others at the same address need not wait behind hundreds that were opened at the same instant.
    this.#held.putBack(address, connection);
    this.#readingJob.soon();
  }

  forget(connection: ClientConnection): void {
    if (connection.heldFor !== undefined) this.#held.remove(connection.heldFor, connection);
  }

  /** Holds all connections of a client that has sent a thousand small pieces of a body: Node reads on for as long as some come. */
  restAfterPieces(channel: Socket): void {
    const connection = connectionOf(channel);
    if (connection === undefined || !this.#table.has(connection)) return;
    const nowMs = this.#clock();
    for (const [client, until] of this.#restUntil)
      if (until <= nowMs) this.#restUntil.delete(client);
    const restingClient = clientOf(connection);
    const restsFrom = Math.max(this.#restUntil.get(restingClient) ?? 0, nowMs);
    this.#restUntil.set(restingClient, restsFrom + piecesRestMs);
    this.#holdClient(connection);
  }

  #waitForTurn(channel: Socket, response: ServerResponse, beginRequest: () => void): void {
    const connection = connectionOf(channel);
    if (connection === undefined || !this.#table.has(connection)) return;

    if (isInChunks(response.req)) setImmediate(() => keepAsOne(response.req));
    const waitingRequests = ++connection.pipelined;
    if (waitingRequests > maxWaiting + 1) return;
    if (waitingRequests > maxWaiting) {
      stopParsing(channel);
      stopReading(connection);
      this.#close(connection);
      return;
    }
    response.once('socket', () => {
      // A connection that is being closed begins nothing more.
      if (connection.pipelined > maxWaiting || !this.#table.has(connection)) return;
      connection.pipelined--;
      beginRequest();
    });
    this.#count(1, connection);
  }

  /**
   * Reads no more of a body in chunks in this iteration than has come with its head, and begins two of a client at most: one read
   * may bring ten thousand chunks, and their number is known only afterwards.
   */
  #readOnce(channel: Socket): void {
    const connection = connectionOf(channel);
    if (connection === undefined) return;
    stopReading(connection);
    setImmediate(() => startReading(connection));
    this.#count(maxPerIteration / 2, connection);
  }

  #count(requests: number, connection: ClientConnection): void {
    const client = clientOf(connection);
    const countBefore = this.#broughtByClient.get(client) ?? 0;
    this.#broughtByClient.set(client, countBefore + requests);
    this.#readingJob.soon();
    if (countBefore < maxPerIteration && countBefore + requests >= maxPerIteration)
      this.#holdClient(connection);
  }

  #hasRested(client: string): boolean {
    return this.#clock() >= (this.#restUntil.get(client) ?? 0);
  }

  #holdClient(busyConnection: ClientConnection): void {
    const client = clientOf(busyConnection);
    for (const connection of this.#table.ofClient(client)) {
      if (this.#hold(connection, client)) this.#held.add(client, connection);
    }
    this.#readingJob.soon();
  }

  #hold(connection: ClientConnection, client: string): boolean {
    const isInHandshake = connection.channel === undefined && connection.serve === undefined;
    if (isInHandshake || connection.heldFor !== undefined) return false;
    connection.heldFor = client;
    stopReading(connection);
    return true;
  }

  /** Reads from one connection, since reading its requests may take milliseconds. */
  #readNext(): void {
    this.#broughtByClient.clear();
    const nextConnection = this.#held.take((client) => this.#hasRested(client));
    if (nextConnection) {
      nextConnection.heldFor = undefined;
      startReading(nextConnection);
    }
    if (this.#held.size === 0) return;
    if (nextConnection) this.#readingJob.soon();
    else this.#readingJob.later();
  }
}

/**
 * Ends the parsing of what has been read of a connection: one read may bring 2,400 requests, which take 20 ms. Hundreds of
 * such connections would shut out all others of their address.
 */
function stopParsing(channel: Socket & { parser?: { onIncoming: () => number } }): void {
  // By this number Node tells its parser that another protocol follows, which nobody listens to here.
  if (channel.parser) channel.parser.onIncoming = () => 2;
}

function stopReading(connection: ClientConnection): void {
  connection.holds++;
  connection.channel?.pause();
}

/** Reads from a connection again once this was called as often as {@link stopReading}; a body that is not taken resumes it itself. */
function startReading(connection: ClientConnection): void {
  if (--connection.holds > 0) return;
  giveToNode(connection);
  if (!answerOf(connection)?.req.isPaused()) connection.channel?.resume();
}

/** Begins the handshake of a connection under TLS, or to serve it once it is decrypted, unless that has been done. */
function giveToNode(connection: ClientConnection): void {
  const { serve } = connection;
  if (serve === undefined) return;
  connection.serve = undefined;
  serve();
  keepHeld(connection);
}

/**
 * Keeps a connection paused while it is held, though Node resumes it by itself: once it has taken it, and at the end of every
 * request. Called after Node has taken it, whose own listener would read on.
 */
function keepHeld(connection: ClientConnection): void {
  const { channel } = connection;
  channel?.on('resume', () => {
    if (connection.holds === 0) return;
    // Its server stops to read by the event, which a socket does not repeat that was paused before it was resumed.
    if (channel.isPaused()) channel.emit('pause');
    else channel.pause();
  });
}

function isInChunks({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined;
}

/** Joins the chunks of a waiting body that have come: Node keeps every chunk, and one of a single byte takes 300 bytes. */
function keepAsOne(req: IncomingMessage): void {
  if (req.readableFlowing !== null) return;
  const receivedPart: Buffer | null = req.read();
  if (receivedPart !== null) req.unshift(receivedPart);
}
