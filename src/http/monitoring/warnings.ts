import type { Log } from './log.ts';

/** So many addresses are named in a minute; a flood from more of them shall not fill the log. */
const mostNamed = 30;
const minuteMs = 60_000;

/**
 * Builds what warns of an address that goes over the limit of failed key checks: one line for each, up to a number a
 * minute, and one line for all beyond that. `clock` gives milliseconds that never go back.
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
