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

/** So many requests may wait behind others of their connections: each takes 2 KB of memory, and 1 µs when that closes. */
const mostWaiting = 4_000;
/** More may not wait behind one of their connection; it closes after the answer in progress. */
const mostOfConnection = 64;
/** While so many requests of one client wait, those of its connections that bring several at once are not read from. */
const mostOfClient = 500;
/** Once a client has brought so many in one event-loop iteration, its connections are read from one after the other. */
const mostAtOnce = 64;
/** After each request of a first burst, and beyond {@link mostOfConnection}, its client's connections wait for so long: twenty times what reading it took. */
const restMs = 0.2;
/** After every thousand small pieces of a body they wait for so long: four times what these took. */
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
  readonly #reading: Job;
  /** The requests that wait, and bodies in chunks, that each client has brought in this iteration. */
  readonly #brought = new Map<string, number>();
  #waiting = 0;

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
    this.#reading = iterations.job(() => this.#readNext());
    this.clients = clients;
  }

  /** The number of connections that wait to be read from. */
  get size(): number {
    return this.#held.size;
  }

  /** Calls `listener` once the answers to all earlier requests of a connection have been sent, and never if it closes before. */
  inOrder(listener: RequestListener): RequestListener {
    const begin: RequestListener = (req, res) => {
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
      if (res.socket === null) this.#wait(req.socket, res, () => begin(req, res));
      else begin(req, res);
    };
  }

  /** Holds a new connection of a client that sends many requests at once. */
  accept(connection: ClientConnection): void {
    if (!this.clients.isBusy(connection.client) || !this.#hold(connection)) return;
    connection.waitsAs = newOf(connection.client);
    // The newest first: others at the same address need not wait behind hundreds that were opened at the same instant.
    this.#held.putBack(connection.waitsAs, connection);
    this.#reading.soon();
  }

  /** Forgets a closed connection with its requests, which could stay in memory for as long as an attack lasts. */
  forget(connection: ClientConnection): void {
    this.#waiting -= connection.pipelined;
    if (connection.waitsAs !== undefined) this.#held.remove(connection.waitsAs, connection);
  }

  /** Holds all connections of a client that has sent a thousand small pieces of a body: Node reads on for as long as some come. */
  restAfterPieces(channel: Socket): void {
    const connection = connectionOf(channel);
    if (connection === undefined || !this.#table.has(connection)) return;
    this.#charge(piecesRestMs, connection);
    this.#holdClient(connection);
  }

  #wait(channel: Socket, response: ServerResponse, begin: () => void): void {
    const connection = connectionOf(channel);
    if (connection === undefined || !this.#table.has(connection)) return;
    this.#hold(connection);
    if (!connection.hasPipelined && connection.pipelined === 0) keepStacksShort(channel);
    if (isInChunks(response.req)) setImmediate(() => keepAsOne(response.req));
    this.#waiting++;
    const isSurplus = ++connection.pipelined > mostOfConnection;
    if (isSurplus || !connection.hasPipelined) this.#charge(restMs, connection);
    if (!isSurplus) response.once('socket', () => this.#begin(connection, begin));
    this.#count(1, connection);
    if (this.#waiting > mostWaiting) {
      const longestQueue = this.#table.mostPipelined();
      if (longestQueue) this.#shed(longestQueue, false);
    }
  }

  #begin(connection: ClientConnection, begin: () => void): void {
    if (!this.#table.has(connection)) return;
    if (connection.pipelined > mostOfConnection) {
      this.#shed(connection, true);
      return;
    }
    this.#waiting--;
    if (--connection.pipelined === 0) {
      connection.hasPipelined = true;
      // The body of the last one may be still to come.
      if (connection.waitsAs === undefined) this.#queue(connection);
    }
    begin();
  }

  /**
   * Reads no more of a body in chunks in this iteration than has come with its head, and begins two of a client at most: what is
   * read at once may be ten thousand chunks, and how many they are is known only afterwards.
   */
  #readOnce(channel: Socket): void {
    const connection = connectionOf(channel);
    if (connection === undefined) return;
    holdReading(channel);
    setImmediate(() => releaseReading(channel));
    this.#count(mostAtOnce / 2, connection);
  }

  #count(requests: number, connection: ClientConnection): void {
    const client = clientOf(connection);
    const before = this.#brought.get(client) ?? 0;
    this.#brought.set(client, before + requests);
    this.#reading.soon();
    if (before < mostAtOnce && before + requests >= mostAtOnce) this.#holdClient(connection);
  }

  #charge(ms: number, connection: ClientConnection): void {
    const client = clientOf(connection);
    this.clients.charge(ms, client, singleOf(client), newOf(connection.client));
  }

  #holdClient(excess: ClientConnection): void {
    this.clients.note(clientOf(excess), excess.client);
    for (const connection of this.#table.sameClient(excess))
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
    this.#reading.soon();
  }

  /** Reads from one connection, since to read the requests of one may take milliseconds. */
  #readNext(): void {
    this.#brought.clear();
    if (this.#held.size === 0) return;
    const waiting = this.#table.pipelinedByClient();
    const mayRead = (name: string) =>
      this.clients.hasRested(name) && (waiting.get(name) ?? 0) < mostOfClient;
    let next = this.#held.take(mayRead);
    // Bytes that TLS had decrypted already may have held further requests.
    for (; next !== undefined && next.pipelined > 0; next = this.#held.take(mayRead))
      next.waitsAs = undefined;
    if (next?.channel) {
      next.waitsAs = undefined;
      releaseReading(next.channel);
    }
    if (this.#held.size === 0) return;
    if (next) this.#reading.soon();
    else this.#reading.later();
  }
}

function isInChunks({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined;
}

/** Keeps what has come of a waiting body as one piece: Node keeps every chunk, and one of a single byte takes 300 bytes. */
function keepAsOne(req: IncomingMessage): void {
  if (req.readableFlowing !== null) return;
  const all: Buffer | null = req.read();
  if (all !== null) req.unshift(all);
}

/**
 * When a connection closes, Node destroys each of its requests with an error of its own. To write down where these come from
 * takes ten times as long as all the rest, 150 ms for 25,000 requests, so they get no stack.
 */
function keepStacksShort(channel: Socket): void {
  let limit = Error.stackTraceLimit;
  channel.prependOnceListener('close', () => {
    limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  });
  channel.once('close', () => {
    Error.stackTraceLimit = limit;
  });
}
