import type { Log } from '../monitoring/log.ts';

/** Every reason for which the daemon closes a connection by itself, and what it means; `/metrics` counts them. */
export const dropReasons = {
  handshake_timeout: 'its TLS handshake was not finished in time',
  head_timeout: 'the head of its first request did not come in time',
  slow_reader: 'the client did not take its answer in time',
  slow_body: 'the body of its request came too slowly',
  pipelining: 'it sent requests without waiting for their answers while thousands waited already',
  unauthenticated: 'there were too many, and it had no key',
  idle: 'there were too many, and it was idle',
  unfinished_body: 'there were too many, and the body of its request had not come',
  key_share: 'there were too many, and its key held most of them',
  refused: 'there were too many, and every other one was being served',
} as const;

export type DropReason = keyof typeof dropReasons;

/** Reasons that mean too many connections; the others lie with the client. */
const crowded: ReadonlySet<DropReason> = new Set([
  'unauthenticated',
  'idle',
  'unfinished_body',
  'key_share',
  'refused',
]);

/** The shortest time between two lines about too many connections. */
const quietMs = 10_000;

/** Counts connections that the daemon closed, and logs a line from time to time while there are too many. */
export class ConnectionDrops {
  readonly counts: Record<DropReason, number>;
  readonly #log: Log;
  readonly #quietMs: number;
  #logged: Record<DropReason, number>;
  #isQuiet = false;

  constructor(log: Log, quiet = quietMs) {
    this.#log = log;
    this.#quietMs = quiet;
    this.counts = Object.fromEntries(Object.keys(dropReasons).map((reason) => [reason, 0])) as Record<
      DropReason,
      number
    >; // one entry a reason
    this.#logged = { ...this.counts };
  }

  /** Counts a closed connection; `open` is the number of open ones. */
  count(reason: DropReason, open: number): void {
    this.counts[reason]++;
    if (!crowded.has(reason) || this.#isQuiet) return;
    this.#report(open);
    this.#isQuiet = true;
    setTimeout(() => {
      this.#isQuiet = false;
      if (this.#newDrops().length > 0) this.#report(open);
    }, this.#quietMs).unref();
  }

  #report(open: number): void {
    const dropped = Object.fromEntries(this.#newDrops());
    this.#logged = { ...this.counts };
    this.#log.warn({ connections: open, dropped }, 'too many connections: some were closed');
  }

  /** Reasons and numbers since the last line, of connections closed because there were too many. */
  #newDrops(): [string, number][] {
    return [...crowded]
      .map((reason): [string, number] => [reason, this.counts[reason] - this.#logged[reason]])
      .filter(([, count]) => count > 0);
  }
}
