import type { LimitStore } from '../../core/port/limits.ts';
import type { Log } from '../monitoring/log.ts';
import { Repetition } from '../monitoring/repetition.ts';
import type { Limiter } from './limits.ts';

/** Limits hold over all daemons to within what this time lets through. */
const shareMs = 1000;

/**
 * Shares the counts of limits with the other daemons once a second, so that a request costs no statement. While the store
 * cannot be reached, each daemon counts by itself.
 */
export class LimitSharing {
  readonly #store: LimitStore | undefined;
  readonly #log: Log;
  #sharing: Repetition | undefined;

  constructor(store: LimitStore | undefined, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Shares these limits from now on; nothing in an engine on one machine. */
  start(limiters: readonly (Limiter | undefined)[]): void {
    const store = this.#store;
    if (store === undefined) return;
    const known = limiters.filter((limiter) => limiter !== undefined);
    // While the store is slow, the counts gather.
    this.#sharing = new Repetition(shareMs, () => this.#share(store, known));
    this.#sharing.start();
  }

  async stop(): Promise<void> {
    await this.#sharing?.stop();
  }

  async #share(store: LimitStore, limiters: readonly Limiter[]): Promise<void> {
    try {
      for (const limiter of limiters) {
        const { calls, adopt } = limiter.unshared();
        if (calls.length > 0) adopt(await store.share(limiter.name, limiter.limit, calls));
      }
    } catch (thrown) {
      this.#log.warn({ err: thrown }, 'limits were not shared with other daemons; trying again');
    }
  }
}
