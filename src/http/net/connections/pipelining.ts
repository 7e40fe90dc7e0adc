import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FairQueue } from '../../../core/readings/fair-queue.ts';
import { currentAnswer } from '../current-answer.ts';
import { holdReading, releaseReading } from './reading.ts';
import { type Connection, type ConnectionTable, clientOf } from './table.ts';
import { Turns } from './turns.ts';

/** So many requests may wait behind others of their connections: each takes 2 KB of memory, and 1 µs when its connection closes. */
const mostWaiting = 4_000;
/** While so many requests of one client wait, those of its connections that bring several at once are not read from. */
const mostOfClient = 500;
/** Once so many have come in one event-loop iteration, the connections of their client are read from one after the other. */
const mostAtOnce = 64;
/** After a connection has brought several requests, its client's next one waits for so long for each of them: twenty times what reading it took. */
const restMs = 0.2;
/** After a TLS handshake of such a client has begun, its next one waits for so long: how many requests will follow is not known yet. */
const handshakeRestMs = 10;
/** A client counts as one that sends many requests at once for so long after it did so. */
const busyMs = 10_000;

/**
 * Begins the requests of a connection one after the other where a client sends several without waiting for the answers
 * (pipelining: RFC 9112, section 9.3.2). Node passes them on at once, up to 2,400 of each connection in one event-loop
 * iteration. A client that takes no answers would fill the memory with them, and hold up everybody when it closes its connections.
 */
export class Pipelining {
  readonly #table: ConnectionTable;
  readonly #shed: (connection: Connection) => void;
  /** Whether connections are being accepted, of which Node takes one in each event-loop iteration. */
  readonly #mustWait: () => boolean;
  /** Held connections that may be read from by turns, by client: those that never had several requests at once, and those that had. */
  readonly #single = new FairQueue<Connection, unknown>();
  readonly #several = new FairQueue<Connection, unknown>();
  #isSingleNext = false;
  /** The times at which the next one of the first kind may be read from, by client. */
  readonly #restUntil = new Map<unknown, number>();
  /** Until when clients count as such that send many requests at once: keys and network addresses. */
  readonly #busyUntil = new Map<string, number>();
  readonly #clock: () => number;
  #waiting = 0;
  #arrived = 0;
  readonly #turns = new Turns(() => this.#next());

  /** `shed` closes the connection with the most waiting requests, of the client with the most, where there are too many. */
  constructor(
    table: ConnectionTable,
    shed: (connection: Connection) => void,
    mustWait: () => boolean,
    clock = () => performance.now(),
  ) {
    this.#table = table;
    this.#shed = shed;
    this.#mustWait = mustWait;
    this.#clock = clock;
  }

  /** The number of connections that wait to be read from by turns. */
  get size(): number {
    return this.#single.size + this.#several.size;
  }

  /** Calls `listener` once the answers to all earlier requests of a connection have been sent, and never if it closes before. */
  inTurn(listener: RequestListener): RequestListener {
    return (req, res) => {
      if (currentAnswer(req.socket) === res) listener(req, res);
      else this.#wait(req.socket, res, () => listener(req, res));
    };
  }

  /** Whether a client has sent many requests at once in the last seconds. */
  isBusy(client: string): boolean {
    return this.#clock() < (this.#busyUntil.get(client) ?? 0);
  }

  /** Whether a TLS handshake of a client may begin: what follows it in the same packet is read at once. */
  mayBegin(client: string): boolean {
    return !this.isBusy(client) || (this.#hasRested(newOf(client)) && this.#hasRested(handshakeOf(client)));
  }

  /** Charges a TLS handshake that begins to its client. */
  noteHandshake(client: string): void {
    if (this.isBusy(client)) this.#charge(handshakeOf(client), handshakeRestMs);
  }

  /** Lets a new connection of a client that sends many requests at once wait until it is its turn to be read from. */
  accept(connection: Connection): void {
    if (!this.isBusy(connection.client)) return;
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

  #wait(channel: Socket, response: ServerResponse, begin: () => void): void {
    const connection = this.#table.of(channel);
    if (connection === undefined || !this.#table.has(connection)) return;
    if (!connection.hasPipelined) {
      connection.hasPipelined = true;
      keepStacksShort(channel);
    }
    this.#hold(connection, channel);
    if (connection.chargedTo !== undefined) this.#charge(connection.chargedTo, restMs);
    connection.pipelined++;
    this.#waiting++;
    // Node gives a response the socket once it is the next one.
    response.once('socket', () => {
      if (!this.#table.has(connection)) return;
      this.#waiting--;
      // The body of the last one may be still to come.
      if (--connection.pipelined === 0) {
        connection.chargedTo = undefined;
        this.#queue(this.#several, connection);
      }
      begin();
    });
    this.#turns.soon();
    if (++this.#arrived % mostAtOnce === 0) this.#holdClient(connection);
    if (this.#waiting > mostWaiting) {
      const most = this.#table.mostPipelined();
      if (most) this.#shed(most);
    }
  }

  #hold(connection: Connection, channel: Socket): boolean {
    if (connection.isHeld) return false;
    connection.isHeld = true;
    holdReading(channel);
    return true;
  }

  #holdClient(of: Connection): void {
    const until = this.#clock() + busyMs;
    this.#busyUntil.set(clientOf(of), until).set(of.client, until);
    for (const connection of this.#table.sameClient(of)) this.#holdForATurn(connection);
  }

  #holdForATurn(connection: Connection): void {
    const { channel, hasPipelined } = connection;
    if (channel === undefined || !this.#hold(connection, channel)) return;
    if (!hasPipelined) connection.chargedTo = clientOf(connection);
    this.#queue(hasPipelined ? this.#several : this.#single, connection);
  }

  #queue(queue: FairQueue<Connection, unknown>, connection: Connection): void {
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
    if (this.size === 0) {
      if (this.#waiting === 0) this.#forgetClients();
      return;
    }
    if (hasReleased) this.#turns.soon();
    else this.#turns.later();
  }

  #releaseSingle(): boolean {
    return this.#release(this.#single, (owner) => this.#hasRested(owner));
  }

  #releaseSeveral(): boolean {
    if (this.#several.size === 0) return false;
    const waiting = this.#table.pipelinedByClient();
    return this.#release(this.#several, (client) => (waiting.get(client) ?? 0) < mostOfClient);
  }

  #release(queue: FairQueue<Connection, unknown>, mayRead: (owner: unknown) => boolean): boolean {
    for (let next = queue.take(mayRead); next !== undefined; next = queue.take(mayRead)) {
      // Bytes that TLS had decrypted already may have held further requests.
      if (!this.#table.has(next) || next.pipelined > 0) continue;
      next.isHeld = false;
      next.waitsAs = undefined;
      if (next.channel) releaseReading(next.channel);
      return true;
    }
    return false;
  }

  #charge(owner: string, ms: number): void {
    this.#restUntil.set(owner, Math.max(this.#restUntil.get(owner) ?? 0, this.#clock()) + ms);
  }

  #hasRested(owner: unknown): boolean {
    return this.#clock() >= (this.#restUntil.get(owner) ?? 0);
  }

  #forgetClients(): void {
    const now = this.#clock();
    for (const times of [this.#busyUntil, this.#restUntil])
      for (const [client, until] of times) if (until <= now) times.delete(client);
  }
}

/** The new connections of an address wait apart from those that were open when it began to send many requests at once. */
function newOf(client: string): string {
  return `new ${client}`;
}

function handshakeOf(client: string): string {
  return `handshake ${client}`;
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
