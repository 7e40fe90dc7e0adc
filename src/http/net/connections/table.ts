import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf, plainAddress } from '../../auth/client-addresses.ts';
import type { DropReason } from './drops.ts';

/** An accepted connection and its state. */
export interface ClientConnection {
  /** As it was accepted; under TLS it carries the encrypted bytes. */
  readonly socket: Socket;
  /** The socket that carries its requests: the same one, or the TLS socket once the handshake is finished. */
  channel: Socket | undefined;
  /** Under TLS: gives it to Node for its handshake, and its decrypted side for its requests; undefined once that has been done. */
  serve: (() => void) | undefined;
  readonly openedAt: number;
  /** Under TLS: its addresses and port, by which its decrypted side is recognized. */
  readonly route: string | undefined;
  /** The address that opened it, an IPv6 one as its /64. */
  readonly address: string;
  keyId: string | undefined;
  /** The whole head of a request has arrived. */
  hasAsked: boolean;
  /** A body that is arriving: since when, and the bytes received up to then. */
  body: { since: number; from: number } | undefined;
  /** A body that comes after its answer: since when, and when bytes were last seen to arrive. */
  lingering: { since: number; readAt: number; bytesRead: number } | undefined;
  /** An answer that the client has not received yet: since when, and the bytes written up to then. */
  waiting: { since: number; upTo: number } | undefined;
  /** The number of requests that wait behind another one. */
  pipelined: number;
  /** The client for which it waits to be read from, because that client sends much at once. */
  heldFor: string | undefined;
  /** The number of reasons not to read from it. */
  holds: number;
  /** The answer to its last request that has begun, and the bytes of it that the connection has not been given yet. */
  answer: ServerResponse | undefined;
  unsent: number;
}

/** The property of a socket that names its connection. */
const ownConnection = Symbol('connection');
interface Tagged {
  [ownConnection]?: ClientConnection;
}

/** The connection that a socket belongs to, accepted or decrypted. */
export function connectionOf(socket: object): ClientConnection | undefined {
  return (socket as Tagged)[ownConnection];
}

/** The client that a socket belongs to, as far as it is known. */
export function clientOfSocket(socket: object): unknown {
  const connection = connectionOf(socket);
  return connection === undefined ? socket : clientOf(connection);
}

/** All connections of a server, the oldest first. */
export class ConnectionTable {
  readonly #connections = new Set<ClientConnection>();
  readonly #byAddress = new Groups();
  readonly #byClient = new Groups();
  readonly #byRoute = new Map<string, ClientConnection>();

  get size(): number {
    return this.#connections.size;
  }

  [Symbol.iterator](): Iterator<ClientConnection> {
    return this.#connections.values();
  }

  add(socket: Socket, isEncrypted: boolean): ClientConnection {
    const connection: ClientConnection = {
      socket,
      channel: isEncrypted ? undefined : socket,
      serve: undefined,
      openedAt: performance.now(),
      route: isEncrypted ? routeOf(socket) : undefined,
      address: networkOf(plainAddress(socket.remoteAddress ?? '')),
      keyId: undefined,
      hasAsked: false,
      body: undefined,
      lingering: undefined,
      waiting: undefined,
      pipelined: 0,
      heldFor: undefined,
      holds: 0,
      answer: undefined,
      unsent: 0,
    };
    this.#connections.add(connection);
    this.#byAddress.add(connection.address, connection);
    this.#byClient.add(clientOf(connection), connection);
    (socket as Tagged)[ownConnection] = connection;
    if (connection.route !== undefined) this.#byRoute.set(connection.route, connection);
    return connection;
  }

  has(connection: ClientConnection): boolean {
    return this.#connections.has(connection);
  }

  /** The connections that an address has opened, the oldest first. */
  ofAddress(address: string): ReadonlySet<ClientConnection> {
    return this.#byAddress.get(address);
  }

  /** The connections of a client, which is a key or an address. */
  ofClient(client: string): ReadonlySet<ClientConnection> {
    return this.#byClient.get(client);
  }

  /** Records the decrypted side of a connection, which carries its requests from now on; undefined if that has closed. */
  open(channel: Socket): ClientConnection | undefined {
    const connection = this.#byRoute.get(routeOf(channel));
    if (connection === undefined) return undefined;
    connection.channel = channel;
    (channel as Tagged)[ownConnection] = connection;
    return connection;
  }

  /** Records the key of an authenticated request; nearly every call repeats the key of the call before. */
  identify(socket: Socket, keyId: string): void {
    const connection = connectionOf(socket);
    if (connection === undefined || connection.keyId === keyId) return;
    if (!this.#connections.has(connection)) return;

    this.#byClient.remove(clientOf(connection), connection);
    connection.keyId = keyId;
    this.#byClient.add(keyId, connection);
  }

  /** Removes a connection; returns false if it was removed before. */
  remove(connection: ClientConnection): boolean {
    if (!this.#connections.delete(connection)) return false;
    this.#byAddress.remove(connection.address, connection);
    this.#byClient.remove(clientOf(connection), connection);

    const { route } = connection;
    // Its client may have used the port again before this side had closed.
    const isOwnRoute = route !== undefined && this.#byRoute.get(route) === connection;
    if (isOwnRoute) this.#byRoute.delete(route);
    return true;
  }
}

/** Connections by a name that many of them share. */
class Groups {
  readonly #groups = new Map<string, Set<ClientConnection>>();

  get(name: string): ReadonlySet<ClientConnection> {
    return this.#groups.get(name) ?? noConnections;
  }

  add(name: string, connection: ClientConnection): void {
    const group = this.#groups.get(name);
    if (group) group.add(connection);
    else this.#groups.set(name, new Set([connection]));
  }

  remove(name: string, connection: ClientConnection): void {
    const group = this.#groups.get(name);
    group?.delete(connection);
    if (group?.size === 0) this.#groups.delete(name);
  }
}

const noConnections: ReadonlySet<ClientConnection> = new Set();

/**
 * Chooses a connection to close in favour of a new one: the oldest without a key, else the oldest idle one, else the oldest
 * whose body has not arrived. Undefined if every connection is being served.
 */
export function leastNeeded(
  connections: Iterable<ClientConnection>,
): { connection: ClientConnection; reason: DropReason } | undefined {
  let idle: ClientConnection | undefined;
  let unfinished: ClientConnection | undefined;
  for (const connection of connections) {
    if (connection.keyId === undefined) return { connection, reason: 'unauthenticated' };
    if (answerOf(connection) === undefined) idle ??= connection;
    else if (isUnfinished(connection)) unfinished ??= connection;
  }
  if (idle) return { connection: idle, reason: 'idle' };
  return unfinished && { connection: unfinished, reason: 'unfinished_body' };
}

/** Identifies an open connection by its address pair; the port of this side is that of the server. */
function routeOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** The client of a connection: its key, or its address as long as there is none. */
export function clientOf({ keyId, address }: ClientConnection): string {
  return keyId ?? address;
}

/** Closes a connection at once, in any state. */
export function destroyConnection({ socket, channel }: ClientConnection): void {
  channel?.destroy();
  socket.destroy();
}

/** The answer in progress on a connection: Node takes the socket away from one that was sent. */
export function answerOf(connection: ClientConnection | undefined): ServerResponse | undefined {
  const answer = connection?.answer;
  return answer?.socket ? answer : undefined;
}

/** Whether a request is in progress whose body has not arrived completely. */
export function isUnfinished(connection: ClientConnection): boolean {
  return answerOf(connection)?.req.complete === false;
}
