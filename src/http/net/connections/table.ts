import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { originOf } from '../../auth/client-addresses.ts';
import type { DropReason } from './drops.ts';

/** An accepted connection and its state. */
export interface ClientConnection {
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
  /** Connections by their key, or by their network as long as they have none: work for one client must not look at all connections. */
  readonly #groups = new Map<string, Set<ClientConnection>>();
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
    this.#join(connection);
    (socket as Tagged)[ownConnection] = connection;
    if (connection.route !== undefined) this.#byRoute.set(connection.route, connection);
    return connection;
  }

  has(connection: ClientConnection): boolean {
    return this.#connections.has(connection);
  }

  /** The connections of the same client, itself among them. */
  sameClient(member: ClientConnection): readonly ClientConnection[] {
    const group = this.#groups.get(groupOf(member)) ?? [];
    return [...group].filter((connection) => clientOf(connection) === clientOf(member));
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
  mostPipelined(): ClientConnection | undefined {
    const totals = this.pipelinedByClient();
    const largestTotal = Math.max(...totals.values());
    let candidate: ClientConnection | undefined;
    for (const connection of this.#connections) {
      if (totals.get(clientOf(connection)) !== largestTotal) continue;
      if (connection.pipelined > (candidate?.pipelined ?? 0)) candidate = connection;
    }
    return candidate;
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

    this.#leave(connection);
    connection.keyId = keyId;
    this.#join(connection);
  }

  /** Removes a connection; returns false if it was removed before. */
  remove(connection: ClientConnection): boolean {
    if (!this.#connections.delete(connection)) return false;
    this.#leave(connection);

    const { route } = connection;
    // Its client may have used the port again before this side had closed.
    const isOwnRoute = route !== undefined && this.#byRoute.get(route) === connection;
    if (isOwnRoute) this.#byRoute.delete(route);
    return true;
  }

  /**
   * Chooses a connection to close in favour of a new one: of a key with more than `keyShare`, else of the network with the
   * most connections without a key, else one of the key with the most that is idle or whose body has not arrived. Undefined
   * if every connection is being served.
   */
  leastNeeded(keyShare: number): { connection: ClientConnection; reason: DropReason } | undefined {
    const keys: Set<ClientConnection>[] = [];
    let strangers = new Set<ClientConnection>();
    for (const group of this.#groups.values()) {
      const [connection] = group;
      if (connection?.keyId !== undefined) keys.push(group);
      else if (group.size > strangers.size) strangers = group;
    }

    keys.sort((left, right) => right.size - left.size);
    const greedyKeys = keys.slice(0, 1).filter(({ size }) => size > keyShare);
    const choices: [
      DropReason,
      readonly Set<ClientConnection>[],
      (connection: ClientConnection) => boolean,
    ][] = [
      ['key_share', greedyKeys, isIdle],
      ['key_share', greedyKeys, isUnfinished],
      ['unauthenticated', [strangers], isIdle],
      ['unauthenticated', [strangers], () => true],
      ['idle', keys, isIdle],
      ['unfinished_body', keys, isUnfinished],
    ];

    for (const [reason, groups, matches] of choices) {
      for (const group of groups)
        for (const connection of group) if (matches(connection)) return { connection, reason };
    }
    return undefined;
  }

  #join(connection: ClientConnection): void {
    const groupName = groupOf(connection);
    const group = this.#groups.get(groupName);
    if (group) group.add(connection);
    else this.#groups.set(groupName, new Set([connection]));
  }

  #leave(connection: ClientConnection): void {
    const groupName = groupOf(connection);
    const group = this.#groups.get(groupName);
    group?.delete(connection);
    if (group?.size === 0) this.#groups.delete(groupName);
  }
}

function groupOf({ keyId, network }: ClientConnection): string {
  return keyId ?? network;
}

/** Identifies an open connection by its address pair; the port of this side is that of the server. */
function routeOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** The client of a connection: its key, or its network address as long as there is none. */
export function clientOf({ keyId, client }: ClientConnection): string {
  return keyId ?? client;
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

/** Whether no request is in progress: the connection waits for its handshake, a head or its next request. */
function isIdle(connection: ClientConnection): boolean {
  return answerOf(connection) === undefined;
}

/** Whether a request is in progress whose body has not arrived completely. */
export function isUnfinished(connection: ClientConnection): boolean {
  return answerOf(connection)?.req.complete === false;
}
