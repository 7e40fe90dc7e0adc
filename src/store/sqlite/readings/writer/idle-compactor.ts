/** No row leaves the write buffer sooner while ingest is idle: `sensors tail` looks ten times meanwhile. */
export const shortestPauseMs = 5000;
/** The write buffer is compacted after a pause of at most this time. */
const longestPauseMs = 600_000;
/** A pause this many times as long as the usual one counts as idle. */
const idleFactor = 3;
/** The weight of the usual pause at the next commit. */
const decay = 0.99;
/** How long to wait after a failure, such as a full disk, and for another process that writes. */
const retryMs = 10_000;

/**
 * Compacts the write buffer in small steps while ingest is idle. Sensors that send once a minute are no reason to begin: each time, many
 * chunks would be rewritten for one reading each.
 */
export class IdleCompactor {
  readonly #compact: () => boolean | undefined;
  #usualPauseMs = 0;
  #writtenAtMs = performance.now();
  #timer: NodeJS.Timeout | undefined;

  /** `compact` does one step and returns whether there is more; it returns undefined if it must wait. */
  constructor(compact: () => boolean | undefined) {
    this.#compact = compact;
  }

  /** Must be called when the thread has started and after each commit; begins to wait. */
  written(): void {
    const nowMs = performance.now();
    this.#usualPauseMs = Math.max(nowMs - this.#writtenAtMs, decay * this.#usualPauseMs);
    this.#writtenAtMs = nowMs;
    if (!this.#timer) this.#wait(this.#pauseMs());
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #pauseMs(): number {
    return Math.min(Math.max(idleFactor * this.#usualPauseMs, shortestPauseMs), longestPauseMs);
  }

  #wait(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const remainingMs = this.#writtenAtMs + this.#pauseMs() - performance.now();
      if (remainingMs > 0) {
        this.#wait(remainingMs);
        return;
      }

      const hasMore = this.#compact();
      if (hasMore !== false) this.#wait(hasMore ? 0 : retryMs);
    }, delayMs);
  }
}
