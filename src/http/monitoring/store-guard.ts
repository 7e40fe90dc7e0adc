import { type HkctlError, isHkctlError } from '../../core/errors.ts';
import type { Store } from '../../core/port/store.ts';
import { ApiError } from '../request/problem.ts';
import type { Log } from './log.ts';

/** So often at most it is looked whether the files of the store are in place; a swap is noticed within that time. */
const everyMs = 250;
/** For so long clients and load balancers are answered 503 before the daemon ends. */
export const graceMs = 1000;

/**
 * Notices that the files of the store were swapped under the daemon. It would answer from the old ones for ever, and let in
 * keys that are revoked in the new ones: from then on everything but /healthz is 503, and the daemon ends.
 */
export class StoreGuard {
  readonly #store: Pick<Store, 'openAll' | 'requireInPlace'>;
  readonly #log: Log;
  readonly #ending = new AbortController();
  #fault: HkctlError | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Pick<Store, 'openAll' | 'requireInPlace'>, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** What is wrong with the store, once something is. */
  get fault(): HkctlError | undefined {
    return this.#fault;
  }

  /** Aborted when the store is found displaced. */
  get displaced(): AbortSignal {
    return this.#ending.signal;
  }

  /** Looks from now on, also where no request comes. Rejects with what is wrong already. */
  async start(): Promise<void> {
    await this.#store.openAll();
    this.#timer = setInterval(() => this.refusal(performance.now()), everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Why nothing is answered at a time (`performance.now()`). Asked for each request, since a process that was stopped
   * meanwhile answers what waited before any timer of its own.
   */
  refusal(nowMs: number): ApiError | undefined {
    if (this.#fault === undefined && nowMs - this.#lookedAt >= everyMs) this.#look(nowMs);
    return this.#fault && displaced;
  }

  #look(nowMs: number): void {
    this.#lookedAt = nowMs;
    try {
      this.#store.requireInPlace();
    } catch (thrown) {
      if (!isHkctlError(thrown)) throw thrown;
      if (thrown.code !== 'store_corrupt') {
        // A path that cannot be asked for is not a path that leads elsewhere: it may pass.
        this.#log.warn({ err: thrown }, 'the files of the store could not be looked at; trying again');
        return;
      }
      this.#fault = thrown;
      this.#log.fatal({ err: thrown }, 'THE STORE WAS REPLACED under the running daemon: nothing is answered any more');
      this.#ending.abort();
    }
  }
}

const displaced = new ApiError('unavailable', 'The service is shutting down. Try again in a moment.', {
  headers: ['Retry-After', '5'],
});
