import type { Log } from './log.ts';

/** The number of addresses named in a minute, so that a flood from many of them does not fill the log. */
const mostNamed = 30;
const minuteMs = 60_000;

/**
 * Builds a function that logs addresses over the limit of failed key checks: one line for each, up to a number a minute, and
 * one line for all others. `clock` returns monotonic milliseconds.
 */
export function createOverLimitWarning(log: Pick<Log, 'warn'>, clock: () => number) {
  let endsMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (address: string, code: string): void => {
    const nowMs = clock();
    if (nowMs >= endsMs) {
      endsMs = nowMs + minuteMs;
      count = 0;
    }
    count++;
    if (count <= mostNamed) log.warn({ address, code }, 'too many failed key checks from an address');
    else if (count === mostNamed + 1) log.warn({}, 'too many failed key checks from more addresses; not all are named');
  };
}
