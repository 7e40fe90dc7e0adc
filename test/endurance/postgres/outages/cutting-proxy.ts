import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A stretch of network between a daemon and its PostgreSQL server, as a Unix socket of its own. */
export interface CuttingProxy {
  /** The folder of its socket, for the parameter `host` of an address. */
  folder: string;
  /** The number of connections that pass at the moment. */
  open(): number;
  /** Resets all connections at once, wherever they are; new ones pass. */
  cutAll(): void;
  /** Resets each connection after so many bytes from the server; `undefined` = no more. */
  cutAfter(bytes: (() => number) | undefined): void;
  close(): Promise<void>;
}

/** Starts it before the server whose sockets are in a folder. */
export async function createCuttingProxy(sockets: string): Promise<CuttingProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-cut-'));
  const name = '.s.PGSQL.5432';
  const pairs = new Set<readonly [Socket, Socket]>();
  let lifeBytes: (() => number) | undefined;
  const cut = (pair: readonly [Socket, Socket]) => {
    for (const socket of pair) socket.destroy();
    pairs.delete(pair);
  };
  const proxy = createServer((client) => {
    const server = connect(join(sockets, name));
    const pair = [client, server] as const;
    pairs.add(pair);
    let left = lifeBytes?.() ?? Number.POSITIVE_INFINITY;
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk) => {
      if (chunk.length < left) {
        left -= chunk.length;
        client.write(chunk);
        return;
      }
      // In the middle of a message.
      client.write(chunk.subarray(0, left));
      setImmediate(() => cut(pair));
      left = 0;
    });
    for (const socket of pair) {
      socket.on('error', () => cut(pair));
      socket.on('close', () => cut(pair));
    }
  });
  await new Promise<void>((resolve) => proxy.listen(join(folder, name), resolve));
  return {
    folder,
    open: () => pairs.size,
    cutAll() {
      for (const pair of [...pairs]) cut(pair);
    },
    cutAfter(bytes) {
      lifeBytes = bytes;
    },
    async close() {
      for (const pair of [...pairs]) cut(pair);
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
