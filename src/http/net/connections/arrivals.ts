/** The longest time that work waits while connections are accepted. */
const longestMs = 10;

/**
 * New connections. Node accepts one in each event-loop iteration: where an iteration takes 20 ms, the last of a hundred
 * that came together waits for two seconds, no matter who opened the others. So work that fills an iteration waits while
 * connections come, for a few milliseconds at a time.
 */
export class Arrivals {
  #accepted = 0;
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Counts a connection that was accepted. */
  count(): void {
    this.#accepted++;
  }

  /**
   * Builds the question that one kind of work asks at the end of each event-loop iteration. The answer is true where a
   * connection was accepted since it asked last: then it should wait for the next iteration, but never for longer than
   * {@link longestMs}.
   */
  createWait(): () => boolean {
    let seen = 0;
    let waitsSince: number | undefined;
    return () => {
      if (seen === this.#accepted) {
        waitsSince = undefined;
        return false;
      }
      seen = this.#accepted;
      const now = this.#clock();
      waitsSince ??= now;
      if (now - waitsSince < longestMs) return true;
      waitsSince = undefined;
      return false;
    };
  }
}
