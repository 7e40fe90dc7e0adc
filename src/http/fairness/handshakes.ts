import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { FairQueue } from '../../core/sharing/fair-queue.ts';
import { BusyClients } from './busy-clients.ts';
import type { Iterations, Job } from './iterations.ts';

/** The least number of handshakes that begin in one event-loop iteration: each takes most of a millisecond. */
const fewest = 2;
/** Beyond those, one begins for each period of this length since the last: a quarter of the time, however long iterations are. */
const msForEach = 4;

type ClientLimits = Pick<BusyClients, 'isBusy' | 'mayBegin' | 'noteHandshake'>;

/**
 * Begins TLS handshakes a few at a time, round-robin by client, and none while connections are still being accepted. Node
 * accepts one connection in each event-loop iteration and begins its handshake at once: a hundred connections of one client
 * then take a fifth of a second, in which nobody else's is accepted.
 */
export class Handshakes {
  readonly #waiting = new FairQueue<() => void>();
  readonly #iterations: Iterations;
  readonly #clients: ClientLimits;
  readonly #beginning: Job;
  #begunAt = 0;

  constructor(iterations: Iterations, clients: ClientLimits = new BusyClients()) {
    this.#iterations = iterations;
    this.#clients = clients;
    this.#beginning = iterations.job(() => this.#beginSome());
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Takes over the connections of a server before its first; `clientOf` gives the client that opened one. */
  pace(server: HttpsServer, clientOf: (socket: Socket) => string): void {
    const begin = server.listeners('connection') as ((socket: Socket) => void)[]; // as `net.Server` calls them
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      const client = clientOf(socket);
      const start = (): void => {
        if (socket.destroyed) return;
        this.#clients.noteHandshake(client);
        for (const listener of begin) listener.call(server, socket);
      };
      // Nobody else listens yet, and a reset must not end the process.
      socket.on('error', () => {});
      // The time before is no long iteration.
      if (this.#waiting.size === 0) this.#begunAt = this.#iterations.clock();
      // The newest first: others at the same address need not wait behind hundreds that were opened at the same instant.
      if (this.#clients.isBusy(client)) this.#waiting.putBack(client, start);
      else this.#waiting.add(client, start);
      // Connections that come faster than handshakes begin are dropped at some number, and must not stay in memory.
      socket.once('close', () => this.#waiting.remove(client, start));
      this.#beginning.soon();
    });
  }

  #beginSome(): void {
    const now = this.#iterations.clock();
    const most = Math.max(fewest, (now - this.#begunAt) / msForEach);
    this.#begunAt = now;
    let begun = 0;
    for (; begun < most; begun++) {
      const start = this.#waiting.take((client) => this.#clients.mayBegin(client));
      if (start === undefined) break;
      start();
    }
    if (this.#waiting.size === 0) return;
    if (begun > 0) this.#beginning.soon();
    else this.#beginning.later();
  }
}
