/** The longest time that work waits while connections are accepted. */
const maxWaitMs = 10;
/** The pause before work that waits for a time is tried again. */
const pauseMs = 2;

/**
 * The iterations of the event loop. Node accepts one connection in each: if an iteration takes 20 ms, the last of a hundred
 * that came together waits for two seconds, no matter who opened the others. Therefore work that fills an iteration waits
 * while connections come, for a few milliseconds at a time.
 */
export class Iterations {
  /** The number of connections that were accepted. */
  accepted = 0;
  readonly clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.clock = clock;
  }

  /**
   * Schedules one kind of work at the end of iterations. The work waits if a connection was accepted since it was tried last,
   * but never for longer than {@link maxWaitMs}.
   */
  job(work: () => void): Job {
    let isScheduled = false;
    let isPausing = false;
    let acceptedBefore = 0;
    let waitingSinceMs: number | undefined;
    const mustWait = (): boolean => {
      if (acceptedBefore === this.accepted) {
        waitingSinceMs = undefined;
        return false;
      }
      acceptedBefore = this.accepted;
      const nowMs = this.clock();
      waitingSinceMs ??= nowMs;
      if (nowMs - waitingSinceMs >= maxWaitMs) waitingSinceMs = undefined;
      return waitingSinceMs !== undefined;
    };
    const runOrWait = (): void => {
      isScheduled = false;
      if (mustWait()) soon();
      else work();
    };
    const soon = (): void => {
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(runOrWait);
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
