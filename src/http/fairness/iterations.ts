/** The longest time that work waits while connections are accepted. */
const longestMs = 10;
/** The pause before what waits for a time is looked at again. */
const pauseMs = 2;

/**
 * The iterations of the event loop. Node accepts one connection in each: if an iteration takes 20 ms, the last of a hundred
 * that came together waits for two seconds, no matter who opened the others. So work that fills an iteration waits while
 * connections come, for a few milliseconds at a time.
 */
export class Iterations {
  /** The number of connections that were accepted. */
  accepted = 0;
  readonly clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.clock = clock;
  }

  /**
   * Gives one kind of work its place in them. It waits if a connection was accepted since it was looked at last, but never for
   * longer than {@link longestMs}.
   */
  job(run: () => void): Job {
    let isScheduled = false;
    let isPausing = false;
    let seen = 0;
    let waitsSince: number | undefined;
    const mustWait = (): boolean => {
      if (seen === this.accepted) {
        waitsSince = undefined;
        return false;
      }
      seen = this.accepted;
      const now = this.clock();
      waitsSince ??= now;
      if (now - waitsSince >= longestMs) waitsSince = undefined;
      return waitsSince !== undefined;
    };
    const atEnd = (): void => {
      isScheduled = false;
      if (mustWait()) soon();
      else run();
    };
    const soon = (): void => {
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(atEnd);
    };
    const later = (): void => {
      if (isPausing) return;
      isPausing = true;
      setTimeout(() => {
        isPausing = false;
        soon();
      }, pauseMs).unref();
    };
    return { soon, later };
  }
}

export interface Job {
  /** Runs it at the end of this event-loop iteration: once, however often this is called before. */
  soon(): void;
  /** Runs it after a pause of two milliseconds. */
  later(): void;
}
