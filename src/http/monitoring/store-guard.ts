import { isHkctlError } from '../../core/errors.ts';
import type { Store } from '../../core/port/store.ts';
import { type ApiError, shuttingDown } from '../answers/problem.ts';
import type { Log } from './log.ts';
import { Repetition } from './repetition.ts';

/** The interval at which the files of the store are checked, within which a replacement is noticed. */
const checkEveryMs = 250;
/** The time during which clients and load balancers get 503 before the daemon ends. */
export const graceMs = 1000;

/**
 * Detects that the files of the store were replaced under the daemon, which would otherwise answer from the old ones for ever
 * and admit keys that are revoked in the new ones. From then on everything but /healthz gets 503, and the daemon ends.
 */
export class StoreGuard extends Repetition {
  readonly #store: Pick<Store, 'requireInPlace'>;
  readonly #displaced = new AbortController();
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  /** Aborted when the store is found to be replaced; its reason is the fault. */
  readonly displaced = this.#displaced.signal;

  constructor(store: Pick<Store, 'requireInPlace'>, log: Log) {
    super(checkEveryMs, log, 'the files of the store could not be checked; trying again');
    this.#store = store;
  }

  /**
   * The refusal of every request at a time (`performance.now()`); undefined while the store is in place. Called for each
   * request, since a process that was suspended answers waiting requests before any of its timers runs.
   */
  refusal(nowMs: number): ApiError | undefined {
    if (nowMs - this.#checkedAtMs >= checkEveryMs) {
      this.#checkedAtMs = nowMs;
      void this.run();
    }
    return this.displaced.aborted ? shuttingDown : undefined;
  }

  /** Synchronous, for the request that waits for it. */
  protected work(): void {
    if (this.displaced.aborted) return;
    try {
      this.#store.requireInPlace();
    } catch (thrown) {
      // A path that cannot be read does not lead elsewhere, and may become readable again.
      if (!isHkctlError(thrown) || thrown.code !== 'store_corrupt') throw thrown;
      this.log.fatal({ err: thrown }, 'THE STORE WAS REPLACED under the running daemon: nothing is answered any more');
      this.#displaced.abort(thrown);
    }
  }
}
