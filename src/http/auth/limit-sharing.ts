import type { LimitStore } from '../../core/port/limits.ts';
import type { Log } from '../monitoring/log.ts';
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
  #limiters: readonly Limiter[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sharing: Promise<void> = Promise.resolve();
  #isSharing = false;

  constructor(store: LimitStore | undefined, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Shares these limits from now on; nothing in an engine on one machine. */
  start(limiters: readonly (Limiter | undefined)[]): void {
    const store = this.#store;
    if (store === undefined) return;
    this.#limiters = limiters.filter((limiter) => limiter !== undefined);
    this.#timer = setInterval(() => {
      // While the store is slow, the counts gather.
      if (!this.#isSharing) this.#sharing = this.#share(store);
    }, shareMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sharing;
  }

  async #share(store: LimitStore): Promise<void> {
    this.#isSharing = true;
    try {
      for (const limiter of this.#limiters) {
        const { calls, adopt } = limiter.unshared();
        if (calls.length > 0) adopt(await store.share(limiter.name, limiter.limit, calls));
      }
    } catch (thrown) {
      this.#log.warn({ err: thrown }, 'limits were not shared with other daemons; trying again');
    } finally {
      this.#isSharing = false;
    }
  }
}
