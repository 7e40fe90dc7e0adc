import type { LimitStore } from '../../core/port/limits.ts';
import type { Limiters } from '../auth/limits.ts';
import type { Log } from '../monitoring/log.ts';
import { createRepetition, type Repetition } from './repetition.ts';

/** All daemons together exceed a limit at most by the calls of this time. */
const shareMs = 1000;

/**
 * Shares the counts of limits with the other daemons once a second, so that a request costs no statement. While the store
 * cannot be reached, each daemon counts by itself; while it is slow, the counts gather.
 */
export function createLimitSharing(store: LimitStore, limiters: Limiters, log: Log): Repetition {
  return createRepetition({
    everyMs: shareMs,
    log,
    failure: 'limits were not shared with other daemons; trying again',
    async work() {
      for (const limiter of Object.values(limiters)) await limiter?.share(store);
    },
  });
}
