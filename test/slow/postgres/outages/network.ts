import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Which connections a firewall forgets, and what it drops of them; without `idleMs` all that are open. */
export interface Silence {
  direction: 'both' | 'to server' | 'from server';
  /** Only connections over which nothing has passed for so long. */
  idleMs?: number;
  /** Whether it also drops what new connections send. */
  alsoNew?: boolean;
}

/** A stretch of network between a daemon and its PostgreSQL server, as a Unix socket of its own. */
export interface Network {
  /** The folder of its socket, for the parameter `host` of an address. */
  folder: string;
  /** The number of connections that pass at the moment. */
  open(): number;
  /** Resets all connections at once, wherever they are; new ones pass. */
  cutAll(): void;
  /** Resets each connection after so many bytes from the server; `undefined` = no more. */
  cutAfter(bytes: (() => number) | undefined): void;
  /** Drops the bytes of connections from now on without a word to either end; returns the number of connections. */
  silence(silence: Silence): number;
  /** Lets new connections pass again; those that were silenced stay so. */
  admit(): void;
  /** Delays everything so long in each direction. */
  delay(ms: number): void;
  close(): Promise<void>;
}

interface Connection {
  client: Socket;
  server: Socket;
  silent: Silence['direction'] | undefined;
  /** When something last passed (`performance.now()`). */
  passedAt: number;
}

/** Starts it before the server whose sockets are in a folder. */
export async function createNetwork(sockets: string): Promise<Network> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-net-'));
  const name = '.s.PGSQL.5432';
  const connections = new Set<Connection>();
  let lifeBytes: (() => number) | undefined;
  let newSilence: Silence['direction'] | undefined;
  let delayMs = 0;
  const cut = (connection: Connection) => {
    connection.client.destroy();
    connection.server.destroy();
    connections.delete(connection);
  };
  const pass = (connection: Connection, direction: Silence['direction'], work: () => void) => {
    const { silent } = connection;
    if (silent === 'both' || silent === direction) return;
    connection.passedAt = performance.now();
    if (delayMs === 0) work();
    else setTimeout(work, delayMs);
  };
  const proxy = createServer((client) => {
    const server = connect(join(sockets, name));
    const connection: Connection = {
      client,
      server,
      silent: newSilence,
      passedAt: performance.now(),
    };
    connections.add(connection);
    let left = lifeBytes?.() ?? Number.POSITIVE_INFINITY;
    client.on('data', (chunk) => pass(connection, 'to server', () => server.write(chunk)));
    server.on('data', (chunk) =>
      pass(connection, 'from server', () => {
        if (chunk.length < left) {
          left -= chunk.length;
          client.write(chunk);
          return;
        }
        // In the middle of a message.
        client.write(chunk.subarray(0, left));
        setImmediate(() => cut(connection));
        left = 0;
      }),
    );
    for (const socket of [client, server]) {
      socket.on('error', () => cut(connection));
      // The other end of a silent connection learns nothing of its end either.
      socket.on('close', () => {
        if (connection.silent === undefined) cut(connection);
      });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(join(folder, name), resolve));
  return {
    folder,
    open: () => [...connections].filter(({ silent }) => silent === undefined).length,
    cutAll() {
      for (const connection of [...connections]) cut(connection);
    },
    cutAfter(bytes) {
      lifeBytes = bytes;
    },
    silence({ direction, idleMs = 0, alsoNew = false }) {
      if (alsoNew) newSilence = direction;
      const now = performance.now();
      const chosen = [...connections].filter(
        ({ silent, passedAt }) => silent === undefined && now - passedAt >= idleMs,
      );
      for (const connection of chosen) connection.silent = direction;
      return chosen.length;
    },
    admit() {
      newSilence = undefined;
    },
    delay(ms) {
      delayMs = ms;
    },
    async close() {
      for (const connection of [...connections]) cut(connection);
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
