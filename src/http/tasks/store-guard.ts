import { isHkctlError } from '../../core/errors.ts';
import type { Store } from '../../core/port/store.ts';
import { type ApiError, shuttingDown } from '../answers/problem.ts';
import type { Log } from '../monitoring/log.ts';
import { createRepetition } from './repetition.ts';

/** The interval at which the files of the store are checked for a replacement. */
const checkEveryMs = 250;
/** The time during which clients and load balancers get 503 before the daemon ends. */
export const graceMs = 1000;

/**
 * Detects that the files of the store were replaced under the daemon. From the old ones it would answer for ever, and admit
 * keys that are revoked in the new ones. After that, every path but /healthz gets 503, and the daemon ends.
 */
export function createStoreGuard(store: Pick<Store, 'requireInPlace'>, log: Log) {
  const replacement = new AbortController();
  const displaced = replacement.signal;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  const checks = createRepetition({
    everyMs: checkEveryMs,
    log,
    failure: 'the files of the store could not be checked; trying again',
    /** Synchronous, for the request that waits for it. */
    work() {
      if (displaced.aborted) return;
      try {
        store.requireInPlace();
      } catch (thrown) {
        // A path that cannot be read does not lead elsewhere, and may become readable again.
        if (!isHkctlError(thrown) || thrown.code !== 'store_corrupt') throw thrown;
        log.fatal(
          { err: thrown },
          'THE STORE WAS REPLACED under the running daemon: nothing is answered any more',
        );
        replacement.abort(thrown);
      }
    },
  });
  return {
    ...checks,
    /** Aborted when the store is found to be replaced; its reason is the fault. */
    displaced,
    /**
     * The refusal of every request at a time (`performance.now()`); undefined while the store is in place. Called for each
     * request, since a process that was suspended answers waiting requests before any of its timers runs.
     */
    refusal(nowMs: number): ApiError | undefined {
      if (nowMs - checkedAtMs >= checkEveryMs) {
        checkedAtMs = nowMs;
        void checks.run();
      }
      return displaced.aborted ? shuttingDown : undefined;
    },
  };
}
