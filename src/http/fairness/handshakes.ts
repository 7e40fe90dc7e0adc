import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { FairQueue } from '../../core/sharing/fair-queue.ts';
import type { BusyClients } from './busy-clients.ts';
import type { Iterations } from './iterations.ts';

/** The least number of handshakes that begin in one event-loop iteration: each takes most of a millisecond. */
const minPerIteration = 2;
/** Beyond those, a handshake begins for each period of this length since the last: a quarter of the time, however long iterations are. */
const msPerHandshake = 4;

interface PaceOptions {
  iterations: Iterations;
  clients: Pick<BusyClients, 'isBusy' | 'mayBegin' | 'noteHandshake'>;
  /** The client that opened a connection. */
  clientOf(socket: Socket): string;
}

/**
 * Begins the TLS handshakes of a server a few at a time, round-robin by client, and none while connections are still being accepted.
 * Node accepts one connection in each event-loop iteration and begins its handshake at once: a hundred connections of one client
 * then take a fifth of a second, in which nobody else's is accepted. Takes over the connections before the first one, and returns
 * those that wait.
 */
export function paceHandshakes(
  server: HttpsServer,
  { iterations, clients, clientOf }: PaceOptions,
) {
  const waitingStarts = new FairQueue<() => void>();
  let lastBeginMs = 0;
  const beginning = iterations.job(() => {
    const nowMs = iterations.clock();
    const allowedCount = Math.max(minPerIteration, (nowMs - lastBeginMs) / msPerHandshake);
    lastBeginMs = nowMs;
    let startedCount = 0;
    for (; startedCount < allowedCount; startedCount++) {
      const startHandshake = waitingStarts.take((client) => clients.mayBegin(client));
      if (startHandshake === undefined) break;
      startHandshake();
    }
    if (waitingStarts.size === 0) return;
    if (startedCount > 0) beginning.soon();
    else beginning.later();
  });
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[]; // as `net.Server` calls them
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const client = clientOf(socket);
    const startHandshake = (): void => {
      if (socket.destroyed) return;
      clients.noteHandshake(client);
      for (const listener of listeners) listener.call(server, socket);
    };
    // Nobody else listens yet, and a reset must not end the process.
    socket.on('error', () => {});
    // Idle time must not count as a long iteration.
    if (waitingStarts.size === 0) lastBeginMs = iterations.clock();
    // The newest first: others at the same address need not wait behind hundreds that were opened at the same instant.
    if (clients.isBusy(client)) waitingStarts.putBack(client, startHandshake);
    else waitingStarts.add(client, startHandshake);
    // Connections that come faster than handshakes begin are dropped at some number, and must not stay in memory.
    socket.once('close', () => waitingStarts.remove(client, startHandshake));
    beginning.soon();
  });
  return waitingStarts;
}
