import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { originOf } from '../../auth/client-addresses.ts';
import type { DropReason } from './drops.ts';

/** One accepted connection and its state. */
export interface Connection {
  /** As it was accepted; under TLS it carries the encrypted bytes. */
  readonly socket: Socket;
  /** The socket that carries its requests: the same one, or the TLS socket once the handshake is finished. */
  channel: Socket | undefined;
  readonly openedAt: number;
  /** Under TLS: its addresses and port, by which its decrypted side is recognized. */
  readonly route: string | undefined;
  /** The address that opened it, an IPv6 one as its /64: requests without a key are served round-robin by it. */
  readonly client: string;
  /** The wider network by which connections without a key are counted. */
  readonly network: string;
  keyId: string | undefined;
  /** The whole head of a request has arrived. */
  hasAsked: boolean;
  /** A body that is arriving: since when, and the bytes received up to then. */
  body: { since: number; from: number } | undefined;
  /** A body that comes after its answer: since when, and when bytes were last seen to arrive. */
  lingering: { since: number; readAt: number; bytesRead: number } | undefined;
  /** An answer that the client has not received yet: since when, and the bytes written up to then. */
  waiting: { since: number; upTo: number } | undefined;
  /** The number of requests that wait behind another one, and whether some have done so before. */
  pipelined: number;
  hasPipelined: boolean;
  /** While it waits to be read from, because its client sends many requests at once: the name under which it waits. */
  waitsAs: string | undefined;
  /** The answer to its last request that has begun, and the bytes of it that the connection has not been given yet. */
  answer: ServerResponse | undefined;
  unsent: number;
}

/** A property of the socket, since every request reads its connection and a map would be slower. */
const ownConnection = Symbol('connection');
interface Tagged {
  [ownConnection]?: Connection;
}

/** The connection that a socket belongs to, accepted or decrypted. */
export function connectionOf(socket: object): Connection | undefined {
  return (socket as Tagged)[ownConnection];
}

/** The client that a socket belongs to, as far as it is known. */
export function clientOfSocket(socket: object): unknown {
  const connection = connectionOf(socket);
  return connection === undefined ? socket : clientOf(connection);
}

/** All connections of a server: those without a key by their network, the others by their key, each set oldest first. */
export class ConnectionTable {
  readonly #connections = new Set<Connection>();
  readonly #byNetwork = new Map<string, Set<Connection>>();
  readonly #byKey = new Map<string, Set<Connection>>();
  readonly #byRoute = new Map<string, Connection>();

  get size(): number {
    return this.#connections.size;
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#connections.values();
  }

  add(socket: Socket, isEncrypted: boolean): Connection {
    const connection: Connection = {
      socket,
      channel: isEncrypted ? undefined : socket,
      openedAt: performance.now(),
      route: isEncrypted ? routeOf(socket) : undefined,
      ...originOf(socket.remoteAddress ?? ''),
      keyId: undefined,
      hasAsked: false,
      body: undefined,
      lingering: undefined,
      waiting: undefined,
      pipelined: 0,
      hasPipelined: false,
      waitsAs: undefined,
      answer: undefined,
      unsent: 0,
    };
    this.#connections.add(connection);
    (socket as Tagged)[ownConnection] = connection;
    if (connection.route !== undefined) this.#byRoute.set(connection.route, connection);
    addTo(this.#byNetwork, connection.network, connection);
    return connection;
  }

  has(connection: Connection): boolean {
    return this.#connections.has(connection);
  }

  /** The connections of the same client, itself among them. */
  sameClient(as: Connection): readonly Connection[] {
    const group = as.keyId === undefined ? this.#byNetwork.get(as.network) : this.#byKey.get(as.keyId);
    return [...(group ?? [])].filter((connection) => clientOf(connection) === clientOf(as));
  }

  /** How many requests of each client wait behind others. */
  pipelinedByClient(): ReadonlyMap<string, number> {
    const totals = new Map<string, number>();
    for (const connection of this.#connections) {
      if (connection.pipelined === 0) continue;
      const client = clientOf(connection);
      totals.set(client, (totals.get(client) ?? 0) + connection.pipelined);
    }
    return totals;
  }

  /** The connection with the most waiting requests, of the client with the most; undefined if none has any. */
  mostPipelined(): Connection | undefined {
    const totals = this.pipelinedByClient();
    const most = Math.max(...totals.values());
    let found: Connection | undefined;
    for (const connection of this.#connections) {
      if (totals.get(clientOf(connection)) !== most) continue;
      if (connection.pipelined > (found?.pipelined ?? 0)) found = connection;
    }
    return found;
  }

  /** Records the decrypted side of a connection, which carries its requests from now on; undefined if that has closed. */
  open(channel: Socket): Connection | undefined {
    const connection = this.#byRoute.get(routeOf(channel));
    if (connection === undefined) return undefined;
    connection.channel = channel;
    (channel as Tagged)[ownConnection] = connection;
    return connection;
  }

  /** Records the key of an authenticated request; nearly every call repeats the key of the call before. */
  identify(socket: Socket, keyId: string): void {
    const connection = connectionOf(socket);
    if (connection === undefined || connection.keyId === keyId || !this.#connections.has(connection)) return;
    this.#leaveGroup(connection);
    connection.keyId = keyId;
    addTo(this.#byKey, keyId, connection);
  }

  /** Removes a connection; returns false if it was removed before. */
  remove(connection: Connection): boolean {
    if (!this.#connections.delete(connection)) return false;
    const { route } = connection;
    // Its client may have used the port again before this side had closed.
    if (route !== undefined && this.#byRoute.get(route) === connection) this.#byRoute.delete(route);
    this.#leaveGroup(connection);
    return true;
  }

  /**
   * Chooses a connection to close in favour of a new one: of a key with more than `keyShare`, else of the network with the
   * most connections without a key, else one of the key with the most that is idle or whose body has not arrived. Undefined
   * if every connection is being served.
   */
  leastNeeded(keyShare: number): { connection: Connection; reason: DropReason } | undefined {
    const byKey = [...this.#byKey.values()].sort((a, b) => b.size - a.size);
    const [first] = byKey;
    if (first !== undefined && first.size > keyShare) {
      const connection = find(first, isIdle) ?? find(first, isUnfinished);
      if (connection) return { connection, reason: 'key_share' };
    }
    const strangers = largest(this.#byNetwork);
    const stranger = strangers && (find(strangers, isIdle) ?? find(strangers, () => true));
    if (stranger) return { connection: stranger, reason: 'unauthenticated' };
    for (const [reason, fits] of [['idle', isIdle] as const, ['unfinished_body', isUnfinished] as const]) {
      for (const held of byKey) {
        const connection = find(held, fits);
        if (connection) return { connection, reason };
      }
    }
    return undefined;
  }

  #leaveGroup(connection: Connection): void {
    const { keyId, network } = connection;
    if (keyId === undefined) removeFrom(this.#byNetwork, network, connection);
    else removeFrom(this.#byKey, keyId, connection);
  }
}

/** Of two connections that are open at the same time, no two have the same; the port of this side is that of the server. */
function routeOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** The client of a connection: its key, or its network address as long as there is none. */
export function clientOf({ keyId, client }: Connection): string {
  return keyId ?? client;
}

/** Closes a connection at once, in any state. */
export function destroyConnection({ socket, channel }: Connection): void {
  channel?.destroy();
  socket.destroy();
}

/** The answer in progress on a connection: Node takes the socket away from one that was sent. */
export function answerOf(connection: Connection | undefined): ServerResponse | undefined {
  const answer = connection?.answer;
  return answer?.socket ? answer : undefined;
}

/** Whether no request is in progress: the connection waits for its handshake, a head or its next request. */
function isIdle(connection: Connection): boolean {
  return answerOf(connection) === undefined;
}

/** Whether a request is in progress whose body has not arrived completely. */
export function isUnfinished(connection: Connection): boolean {
  return answerOf(connection)?.req.complete === false;
}

function find(connections: Iterable<Connection>, fits: (connection: Connection) => boolean): Connection | undefined {
  for (const connection of connections) if (fits(connection)) return connection;
  return undefined;
}

function largest(groups: ReadonlyMap<string, Set<Connection>>): Set<Connection> | undefined {
  let found: Set<Connection> | undefined;
  for (const group of groups.values()) if (found === undefined || group.size > found.size) found = group;
  return found;
}

function addTo(groups: Map<string, Set<Connection>>, name: string, connection: Connection): void {
  const group = groups.get(name);
  if (group) group.add(connection);
  else groups.set(name, new Set([connection]));
}

function removeFrom(groups: Map<string, Set<Connection>>, name: string, connection: Connection): void {
  const group = groups.get(name);
  group?.delete(connection);
  if (group?.size === 0) groups.delete(name);
}
