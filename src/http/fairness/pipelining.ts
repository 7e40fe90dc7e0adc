import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FairQueue } from '../../core/sharing/fair-queue.ts';
import { holdReading, releaseReading } from '../net/connections/reading.ts';
import {
  type ClientConnection,
  type ConnectionTable,
  clientOf,
  connectionOf,
} from '../net/connections/table.ts';
import { BusyClients, newOf, singleOf } from './busy-clients.ts';
import type { Iterations, Job } from './iterations.ts';

/** This many requests may wait behind others of their connections: each takes 2 KB of memory, and 1 µs when its connection closes. */
const maxWaiting = 4_000;
/** This many requests may wait on one connection; beyond them it closes after the answer in progress. */
const maxPerConnection = 64;
/** While this many requests of one client wait, its connections that bring several at once are not read from. */
const maxPerClient = 500;
/** Once a client has brought this many requests in one event-loop iteration, its connections are read from one after the other. */
const maxPerIteration = 64;
/** After each request of a first burst, and beyond {@link maxPerConnection}, its client's connections wait for this time: twenty times that of reading it. */
const restMs = 0.2;
/** After every thousand small pieces of a body they wait for this time: four times that of reading the pieces. */
const piecesRestMs = 8;

/**
 * Begins the requests of a connection one after the other if a client sends several without waiting for the answers
 * (pipelining: RFC 9112, section 9.3.2), and reads from the connections of such a client one after the other. Node passes on
 * what it has read at once, up to 2,400 requests of each connection in one event-loop iteration. A client that takes no
 * answers would fill the memory with them, and hold up everybody when it closes its connections.
 */
export class Pipelining {
  readonly clients: BusyClients;
  readonly #table: ConnectionTable;
  readonly #shed: (connection: ClientConnection, isSoon: boolean) => void;
  /** Held connections, one of which is read from in each iteration, round-robin by {@link ClientConnection.waitsAs}. */
  readonly #held = new FairQueue<ClientConnection>();
  readonly #readingJob: Job;
  /** The requests that wait, and bodies in chunks, that each client has brought in this iteration. */
  readonly #broughtByClient = new Map<string, number>();
  #waitingRequests = 0;

  /**
   * `shed` closes a connection on which too many requests wait, soon or, if there are too many in all, at once: the one with
   * the most of them, of the client with the most.
   */
  constructor(
    table: ConnectionTable,
    shed: (connection: ClientConnection, isSoon: boolean) => void,
    iterations: Iterations,
    clients = new BusyClients(),
  ) {
    this.#table = table;
    this.#shed = shed;
    this.#readingJob = iterations.job(() => this.#readNext());
    this.clients = clients;
  }

  /** The number of connections that wait to be read from. */
  get size(): number {
    return this.#held.size;
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

  /** Holds a new connection of a client that sends many requests at once. */
  accept(connection: ClientConnection): void {
    if (!this.clients.isBusy(connection.client) || !this.#hold(connection)) return;
    connection.waitsAs = newOf(connection.client);
    // The newest first: others at the same address need not wait behind hundreds that were opened at the same instant.
    this.#held.putBack(connection.waitsAs, connection);
    this.#readingJob.soon();
  }

  /** Forgets a closed connection with its requests, which could stay in memory for as long as an attack lasts. */
  forget(connection: ClientConnection): void {
    this.#waitingRequests -= connection.pipelined;
    if (connection.waitsAs !== undefined) this.#held.remove(connection.waitsAs, connection);
  }

  /** Holds all connections of a client that has sent a thousand small pieces of a body: Node reads on for as long as some come. */
  restAfterPieces(channel: Socket): void {
    const connection = connectionOf(channel);
    if (connection === undefined || !this.#table.has(connection)) return;
    this.#charge(piecesRestMs, connection);
    this.#holdClient(connection);
  }

  #waitForTurn(channel: Socket, response: ServerResponse, beginRequest: () => void): void {
    const connection = connectionOf(channel);
    if (connection === undefined || !this.#table.has(connection)) return;
    this.#hold(connection);

    if (!connection.hasPipelined && connection.pipelined === 0) keepStacksShort(channel);
    if (isInChunks(response.req)) setImmediate(() => keepAsOne(response.req));
    this.#waitingRequests++;
    const isSurplus = ++connection.pipelined > maxPerConnection;
    if (isSurplus || !connection.hasPipelined) this.#charge(restMs, connection);
    if (!isSurplus) response.once('socket', () => this.#beginWaiting(connection, beginRequest));
    this.#count(1, connection);

    if (this.#waitingRequests > maxWaiting) {
      const longestQueue = this.#table.mostPipelined();
      if (longestQueue) this.#shed(longestQueue, false);
    }
  }

  #beginWaiting(connection: ClientConnection, beginRequest: () => void): void {
    if (!this.#table.has(connection)) return;
    if (connection.pipelined > maxPerConnection) {
      this.#shed(connection, true);
      return;
    }
    this.#waitingRequests--;
    if (--connection.pipelined === 0) {
      connection.hasPipelined = true;
      // The body of the last request may not have arrived yet.
      if (connection.waitsAs === undefined) this.#queue(connection);
    }
    beginRequest();
  }

  /**
   * Reads no more of a body in chunks in this iteration than has come with its head, and begins two of a client at most: one read
   * may bring ten thousand chunks, and their number is known only afterwards.
   */
  #readOnce(channel: Socket): void {
    const connection = connectionOf(channel);
    if (connection === undefined) return;
    holdReading(channel);
    setImmediate(() => releaseReading(channel));
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

  #charge(chargedMs: number, connection: ClientConnection): void {
    const client = clientOf(connection);
    this.clients.charge(chargedMs, client, singleOf(client), newOf(connection.client));
  }

  #holdClient(busyConnection: ClientConnection): void {
    this.clients.note(clientOf(busyConnection), busyConnection.client);
    for (const connection of this.#table.sameClient(busyConnection))
      if (this.#hold(connection)) this.#queue(connection);
  }

  #hold({ channel, pipelined, waitsAs }: ClientConnection): boolean {
    if (channel === undefined || pipelined > 0 || waitsAs !== undefined) return false;
    holdReading(channel);
    return true;
  }

  #queue(connection: ClientConnection): void {
    const client = clientOf(connection);
    connection.waitsAs = connection.hasPipelined ? client : singleOf(client);
    this.#held.add(connection.waitsAs, connection);
    this.#readingJob.soon();
  }

  /** Reads from one connection, since reading its requests may take milliseconds. */
  #readNext(): void {
    this.#broughtByClient.clear();
    if (this.#held.size === 0) return;
    const waitingByClient = this.#table.pipelinedByClient();
    const mayRead = (queueName: string) =>
      this.clients.hasRested(queueName) && (waitingByClient.get(queueName) ?? 0) < maxPerClient;
    let nextConnection = this.#held.take(mayRead);
    // Bytes that TLS had decrypted already may have held further requests.
    while (nextConnection !== undefined && nextConnection.pipelined > 0) {
      nextConnection.waitsAs = undefined;
      nextConnection = this.#held.take(mayRead);
    }

    if (nextConnection?.channel) {
      nextConnection.waitsAs = undefined;
      releaseReading(nextConnection.channel);
    }

    if (this.#held.size === 0) return;
    if (nextConnection) this.#readingJob.soon();
    else this.#readingJob.later();
  }
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

/**
 * When a connection closes, Node destroys each of its requests with an error of its own. Recording the stacks of these errors
 * takes ten times as long as all the rest, 150 ms for 25,000 requests, so they get no stack.
 */
function keepStacksShort(channel: Socket): void {
  let usualLimit = Error.stackTraceLimit;
  channel.prependOnceListener('close', () => {
    usualLimit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  });
  channel.once('close', () => {
    Error.stackTraceLimit = usualLimit;
  });
}
