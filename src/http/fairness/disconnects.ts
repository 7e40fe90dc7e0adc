import type { Socket } from 'node:net';
import type { Exchange } from '../request/exchange.ts';

/** Aborts the work for clients that disconnect before they are answered. */
export class Disconnects {
  /** The work under way for each connection: one listener a connection, however many requests wait on it. */
  readonly #underWay = new WeakMap<Socket, Set<AbortController>>();

  /** Runs `work` with a signal that is aborted when the connection of its request closes. */
  async during<T>(exchange: Exchange, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { socket } = exchange.node.req;
    const controller = new AbortController();
    const all = this.#controllersOf(socket).add(controller);
    if (socket.destroyed) controller.abort();
    try {
      return await work(controller.signal);
    } finally {
      all.delete(controller);
    }
  }

  #controllersOf(socket: Socket): Set<AbortController> {
    const known = this.#underWay.get(socket);
    if (known) return known;
    const all = new Set<AbortController>();
    this.#underWay.set(socket, all);
    socket.once('close', () => {
      for (const controller of all) controller.abort();
    });
    return all;
  }
}
