import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FairQueue } from '../../../core/readings/fair-queue.ts';
import { noteAnswer } from '../current-answer.ts';
import { BusyClients, newOf } from './busy-clients.ts';
import { holdReading, releaseReading } from './reading.ts';
import { type Connection, type ConnectionTable, clientOf } from './table.ts';
import { Turns } from './turns.ts';

/** So many requests may wait behind others of their connections: each takes 2 KB of memory, and 1 µs when that closes. */
const mostWaiting = 4_000;
/** More may not wait behind one of their connection; it closes after the answer in progress. */
const mostOfConnection = 64;
/** While so many requests of one client wait, those of its connections that bring several at once are not read from. */
const mostOfClient = 500;
/** Once so many have come in one event-loop iteration, the connections of their client are read from one after the other. */
const mostAtOnce = 64;

/**
 * Begins the requests of a connection one after the other where a client sends several without waiting for the answers
 * (pipelining: RFC 9112, section 9.3.2). Node passes them on at once, up to 2,400 of each connection in one event-loop
 * iteration. A client that takes no answers would fill the memory with them, and hold up everybody when it closes its
 * connections.
 */
export class Pipelining {
  readonly #table: ConnectionTable;
  readonly #shed: (connection: Connection, isSoon: boolean) => void;
  /** Whether connections are being accepted, of which Node takes one in each event-loop iteration. */
  readonly #mustWait: () => boolean;
  readonly clients: BusyClients;
  /** Held connections that may be read from by turns, by client: those that never had several requests at once. */
  readonly #single = new FairQueue<Connection>();
  /** The same of those that had. */
  readonly #several = new FairQueue<Connection>();
  /** The clients of which a body in chunks has begun in this iteration. */
  readonly #inChunks = new Set<string>();
  #isSingleNext = false;
  #waiting = 0;
  #arrived = 0;
  readonly #turns = new Turns(() => this.#next());

  /**
   * `shed` closes a connection on which too many requests wait, soon or, where there are too many in all, at once: the one with
   * the most of them, of the client with the most.
   */
  constructor(
    table: ConnectionTable,
    shed: (connection: Connection, isSoon: boolean) => void,
    mustWait: () => boolean,
    clients = new BusyClients(),
  ) {
    this.#table = table;
    this.#shed = shed;
    this.#mustWait = mustWait;
    this.clients = clients;
  }

  /** The number of connections that wait to be read from by turns. */
  get size(): number {
    return this.#single.size + this.#several.size;
  }

  /** Calls `listener` once the answers to all earlier requests of a connection have been sent, and never if it closes before. */
  inTurn(listener: RequestListener): RequestListener {
    const begin: RequestListener = (req, res) => {
      noteAnswer(res);
      listener(req, res);
    };
    return (req, res) => {
      if (req.headers['transfer-encoding'] !== undefined) this.#readOnce(req.socket);
      // Node gives a response the socket once it is the next one.
      if (res.socket === null) this.#wait(req.socket, res, () => begin(req, res));
      else begin(req, res);
    };
  }

  /** Lets a new connection of a client that sends many requests at once wait until it is its turn to be read from. */
  accept(connection: Connection): void {
    if (!this.clients.isBusy(connection.client)) return;
    const { channel, client } = connection;
    if (channel === undefined || !this.#hold(connection, channel)) return;
    connection.chargedTo = newOf(client);
    connection.waitsAs = connection.chargedTo;
    // The newest first: others at the same address need not wait behind hundreds that were opened at the same instant.
    this.#single.putBack(connection.waitsAs, connection);
    this.#turns.soon();
  }

  /** Forgets a closed connection with its requests, which could stay in memory for as long as an attack lasts. */
  forget(connection: Connection): void {
    this.#waiting -= connection.pipelined;
    const { waitsAs } = connection;
    if (waitsAs === undefined) return;
    if (!this.#single.remove(waitsAs, connection)) this.#several.remove(waitsAs, connection);
  }

  /** Lets all connections of a client wait that has sent a thousand small pieces of a body: Node reads on for as long as some come. */
  restAfterPieces(channel: Socket): void {
    const connection = this.#table.of(channel);
    if (connection === undefined || !this.#table.has(connection)) return;
    const client = clientOf(connection);
    this.clients.notePieces(client, newOf(connection.client));
    this.clients.note(client, connection.client);
    for (const one of this.#table.sameClient(connection)) this.#holdForATurn(one, this.#single);
  }

  #wait(channel: Socket, response: ServerResponse, begin: () => void): void {
    const connection = this.#table.of(channel);
    if (connection === undefined || !this.#table.has(connection)) return;
    if (!connection.hasPipelined) {
      connection.hasPipelined = true;
      keepStacksShort(channel);
    }
    this.#hold(connection, channel);
    if (response.req.headers['transfer-encoding'] !== undefined) setImmediate(() => keepAsOne(response.req));
    if (connection.chargedTo !== undefined) this.clients.noteRequest(connection.chargedTo);
    connection.pipelined++;
    this.#waiting++;
    response.once('socket', () => {
      if (!this.#table.has(connection)) return;
      if (connection.pipelined > mostOfConnection) {
        this.#shed(connection, true);
        return;
      }
      this.#waiting--;
      // The body of the last one may be still to come.
      if (--connection.pipelined === 0) {
        connection.chargedTo = undefined;
        if (connection.waitsAs === undefined) this.#queue(this.#several, connection);
      }
      begin();
    });
    this.#turns.soon();
    if (++this.#arrived % mostAtOnce === 0) this.#holdClient(connection);
    if (this.#waiting > mostWaiting) {
      const most = this.#table.mostPipelined();
      if (most) this.#shed(most, false);
    }
  }

  /**
   * Reads no more of a body in chunks in this iteration than has come with its head, and begins two of a client at most: what is
   * read at once may be ten thousand chunks, and how many they are is known only afterwards.
   */
  #readOnce(channel: Socket): void {
    const connection = this.#table.of(channel);
    if (connection === undefined) return;
    const client = clientOf(connection);
    holdReading(channel);
    setImmediate(() => {
      releaseReading(channel);
      this.#inChunks.delete(client);
    });
    if (this.#inChunks.has(client)) this.#holdClient(connection);
    this.#inChunks.add(client);
  }

  #hold(connection: Connection, channel: Socket): boolean {
    if (connection.pipelined > 0 || connection.waitsAs !== undefined) return false;
    holdReading(channel);
    return true;
  }

  #holdClient(of: Connection): void {
    this.clients.note(clientOf(of), of.client);
    for (const connection of this.#table.sameClient(of)) {
      this.#holdForATurn(connection, connection.hasPipelined ? this.#several : this.#single);
    }
  }

  #holdForATurn(connection: Connection, queue: FairQueue<Connection>): void {
    const { channel } = connection;
    if (channel === undefined || !this.#hold(connection, channel)) return;
    if (queue === this.#single) connection.chargedTo = clientOf(connection);
    this.#queue(queue, connection);
  }

  #queue(queue: FairQueue<Connection>, connection: Connection): void {
    connection.waitsAs = clientOf(connection);
    queue.add(connection.waitsAs, connection);
    this.#turns.soon();
  }

  #next(): void {
    this.#arrived = 0;
    if (this.#mustWait()) {
      this.#turns.soon();
      return;
    }
    this.#isSingleNext = !this.#isSingleNext;
    // One at a time, since to read the requests of a connection takes milliseconds.
    const hasReleased = this.#isSingleNext
      ? this.#releaseSingle() || this.#releaseSeveral()
      : this.#releaseSeveral() || this.#releaseSingle();
    if (this.size === 0) return;
    if (hasReleased) this.#turns.soon();
    else this.#turns.later();
  }

  #releaseSingle(): boolean {
    return this.#release(this.#single, (owner) => this.clients.hasRested(owner));
  }

  #releaseSeveral(): boolean {
    if (this.#several.size === 0) return false;
    const waiting = this.#table.pipelinedByClient();
    return this.#release(this.#several, (client) => (waiting.get(client) ?? 0) < mostOfClient);
  }

  #release(queue: FairQueue<Connection>, mayRead: (owner: string) => boolean): boolean {
    for (let next = queue.take(mayRead); next !== undefined; next = queue.take(mayRead)) {
      next.waitsAs = undefined;
      // Bytes that TLS had decrypted already may have held further requests.
      if (!this.#table.has(next) || next.pipelined > 0) continue;
      if (next.channel) releaseReading(next.channel);
      return true;
    }
    return false;
  }
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
