import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { connectionNetworkOf } from '../auth/client-addresses.ts';
import type { DropReason } from './connection-drops.ts';

/** One accepted connection and what is known of it. */
export interface Connection {
  /** As it was accepted; under TLS it carries the encrypted bytes. */
  readonly socket: Socket;
  /** Where its requests come: the same socket, or the TLS one once its handshake is finished. */
  channel: Socket | undefined;
  readonly openedAt: number;
  readonly network: string;
  /** The key that its last authenticated request came with. */
  keyId: string | undefined;
  /** The whole head of a request has come. */
  hasAsked: boolean;
  /** A body that is coming: since when, and the bytes received up to then. */
  body: { since: number; from: number } | undefined;
  /** What the client has not taken yet: since when, and the bytes written up to then. */
  waiting: { since: number; upTo: number } | undefined;
}

/** A socket carries its connection with it: every request asks for it, and a map would take its time. */
const ownConnection = Symbol('connection');
interface Tagged {
  [ownConnection]?: Connection;
}

/** All connections of a server: those without a key by their network, the others by their key, each set oldest first. */
export class ConnectionTable {
  readonly #connections = new Set<Connection>();
  readonly #byNetwork = new Map<string, Set<Connection>>();
  readonly #byKey = new Map<string, Set<Connection>>();

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
      openedAt: Date.now(),
      network: connectionNetworkOf(socket.remoteAddress ?? ''),
      keyId: undefined,
      hasAsked: false,
      body: undefined,
      waiting: undefined,
    };
    this.#connections.add(connection);
    (socket as Tagged)[ownConnection] = connection;
    addTo(this.#byNetwork, connection.network, connection);
    return connection;
  }

  /** The connection that a socket belongs to, accepted or decrypted. */
  of(socket: Socket): Connection | undefined {
    return (socket as Tagged)[ownConnection];
  }

  /** Notes the decrypted side of a connection, where its requests come from now on. */
  open(connection: Connection, channel: Socket): void {
    connection.channel = channel;
    (channel as Tagged)[ownConnection] = connection;
  }

  /** Notes the key of an authenticated request; called for every one of them, and nearly always with the key of the last. */
  identify(socket: Socket, keyId: string): void {
    const connection = (socket as Tagged)[ownConnection];
    if (connection === undefined || connection.keyId === keyId || !this.#connections.has(connection)) return;
    this.#leaveGroup(connection);
    connection.keyId = keyId;
    addTo(this.#byKey, keyId, connection);
  }

  /** False where it was gone already. */
  remove(connection: Connection): boolean {
    if (!this.#connections.delete(connection)) return false;
    this.#leaveGroup(connection);
    return true;
  }

  /**
   * Which connection to close so that another can be held: of a key that holds more than `keyShare`, else of the network
   * with the most connections that have no key, else one of the key with the most that is idle or whose body has not come.
   * Undefined where every connection is being served.
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

/** Closes a connection at once, whatever it waits for. */
export function destroyConnection({ socket, channel }: Connection): void {
  channel?.destroy();
  socket.destroy();
}

/** Node keeps the answer under way here, and has no other way to ask for it; one property a request would cost more. */
function answerOf({ channel }: Connection): unknown {
  return channel && Reflect.get(channel, '_httpMessage');
}

/** No request is under way: its handshake, its head or its next request has not come. */
function isIdle(connection: Connection): boolean {
  const answer = answerOf(connection);
  return answer === undefined || answer === null;
}

/** A request is under way whose body has not come whole. */
export function isUnfinished(connection: Connection): boolean {
  const answer = answerOf(connection);
  return answer instanceof ServerResponse && !answer.req.complete;
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
