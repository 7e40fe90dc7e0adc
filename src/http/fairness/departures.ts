import type { Socket } from 'node:net';
import type { Exchange } from '../request/exchange.ts';

/** Watches for clients that go away before they are answered, so that nothing more is done for them. */
export class Departures {
  /** What is under way for each connection: one listener a connection, however many requests wait in it. */
  readonly #waiting = new WeakMap<Socket, Set<AbortController>>();

  /**
   * Runs `work` with a signal that is aborted when the connection of its request closes; without one in-process, where
   * there is no connection.
   */
  async during<T>(exchange: Exchange, work: (signal: AbortSignal | undefined) => Promise<T>): Promise<T> {
    const socket = exchange.node?.req.socket;
    if (socket === undefined) return work(undefined);
    const controller = new AbortController();
    const all = this.#waitingFor(socket).add(controller);
    if (socket.destroyed) controller.abort();
    try {
      return await work(controller.signal);
    } finally {
      all.delete(controller);
    }
  }

  #waitingFor(socket: Socket): Set<AbortController> {
    const known = this.#waiting.get(socket);
    if (known) return known;
    const all = new Set<AbortController>();
    this.#waiting.set(socket, all);
    socket.once('close', () => {
      for (const controller of all) controller.abort();
    });
    return all;
  }
}
