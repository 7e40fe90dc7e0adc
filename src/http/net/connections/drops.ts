import type { Log } from '../../monitoring/log.ts';
import { createSparingCounts } from '../../monitoring/warnings.ts';

/** The reasons for which the daemon closes a connection by itself, each with its count, which `/metrics` reports. */
const noDrops = {
  /** Its TLS handshake was not finished in time. */
  handshake_timeout: 0,
  /** The head of its first request did not arrive in time. */
  head_timeout: 0,
  /** The client did not receive its answer in time. */
  slow_reader: 0,
  /** The body of its request arrived too slowly. */
  slow_body: 0,
  /** Its request was answered, but the rest of the body did not come, or had no end. */
  lingering: 0,
  /** More than 8 requests waited on it. */
  pipelining: 0,
  // From here on, because there were too many connections in all, or of one address.
  /** The connection had no key. */
  unauthenticated: 0,
  /** The connection was idle. */
  idle: 0,
  /** The body of its request had not arrived. */
  unfinished_body: 0,
  /** The connection was new, and every other one was being served. */
  refused: 0,
};

export type DropReason = keyof typeof noDrops;

const overLimitReasons: readonly DropReason[] = [
  'unauthenticated',
  'idle',
  'unfinished_body',
  'refused',
];

/** The shortest time between two lines about too many connections. */
const quietMs = 10_000;

/** Counts connections that the daemon closed, and logs a line from time to time while there are too many. */
export function createDrops(log: Log) {
  const counts = { ...noDrops };
  const sinceLastLine = createSparingCounts(quietMs, () => performance.now());
  return {
    counts,
    /** Counts a closed connection; `openCount` is the number of open ones. */
    count(reason: DropReason, openCount: number): void {
      counts[reason]++;
      if (!overLimitReasons.includes(reason)) return;
      const dropped = sinceLastLine('', { [reason]: 1 });
      if (dropped)
        log.warn({ connections: openCount, dropped }, 'too many connections: some were closed');
    },
  };
}
