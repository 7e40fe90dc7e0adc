import { isHkctlError } from '../../core/errors.ts';
import type { Store } from '../../core/port/store.ts';
import { type ApiError, shuttingDown } from '../answers/problem.ts';
import type { Log } from './log.ts';

/** The interval at which the files of the store are checked, within which a replacement is noticed. */
const checkEveryMs = 250;
/** The time during which clients and load balancers get 503 before the daemon ends. */
export const graceMs = 1000;

/**
 * Detects that the files of the store were replaced under the daemon, which would otherwise answer from the old ones for ever
 * and admit keys that are revoked in the new ones. From then on everything but /healthz gets 503, and the daemon ends.
 */
export class StoreGuard {
  readonly #store: Pick<Store, 'openAll' | 'requireInPlace'>;
  readonly #log: Log;
  readonly #displaced = new AbortController();
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  /** Aborted when the store is found to be replaced; its reason is the fault. */
  readonly displaced = this.#displaced.signal;

  constructor(store: Pick<Store, 'openAll' | 'requireInPlace'>, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Checks from now on, also while no request arrives. Rejects if the store cannot be opened. */
  async start(): Promise<void> {
    await this.#store.openAll();
    this.#timer = setInterval(() => this.refusal(performance.now()), checkEveryMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * The refusal of every request at a time (`performance.now()`); undefined while the store is in place. Called for each
   * request, since a process that was suspended answers waiting requests before any of its timers runs.
   */
  refusal(nowMs: number): ApiError | undefined {
    if (!this.displaced.aborted && nowMs - this.#checkedAtMs >= checkEveryMs) this.#check(nowMs);
    return this.displaced.aborted ? shuttingDown : undefined;
  }

  #check(nowMs: number): void {
    this.#checkedAtMs = nowMs;
    try {
      this.#store.requireInPlace();
    } catch (thrown) {
      if (!isHkctlError(thrown)) throw thrown;
      if (thrown.code !== 'store_corrupt') {
        // A path that cannot be read does not lead elsewhere, and may become readable again.
        this.#log.warn({ err: thrown }, 'the files of the store could not be checked; trying again');
        return;
      }
      this.#log.fatal({ err: thrown }, 'THE STORE WAS REPLACED under the running daemon: nothing is answered any more');
      this.#displaced.abort(thrown);
    }
  }
}
