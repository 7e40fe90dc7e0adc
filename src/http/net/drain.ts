import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Log } from '../monitoring/log.ts';
import type { Connections } from './connections/connections.ts';

/** Milliseconds that answers under way may take after a daemon is stopped. */
export const drainMs = 10_000;

/**
 * Closes the port and idle connections at once, others after their answer, and all at the deadline. Where the next daemon
 * takes over the socket, a connection that was just accepted gets a moment to send its request.
 */
export async function drain(
  server: HttpServer | HttpsServer,
  connections: Connections,
  { deadlineMs, isTakenOver, log }: { deadlineMs: number; isTakenOver: boolean; log: Log },
): Promise<void> {
  const since = performance.now();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const closeUnneeded = (): void => {
    server.closeIdleConnections();
    // Node does not count connections as idle that have sent nothing or have not finished their handshake.
    connections.closeSilent(since, isTakenOver);
  };
  closeUnneeded();
  // A kept-alive connection becomes idle after its answer, and Node would not close it.
  const sweep = setInterval(closeUnneeded, 50);
  const deadline = setTimeout(() => {
    log.warn({ connections: connections.table.size }, 'answers under way took too long; cutting them off');
    connections.closeAll();
  }, deadlineMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
