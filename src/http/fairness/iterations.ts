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

  /** Gives one kind of work its place in them. */
  job(run: () => void): Job {
    return new Job(this, run);
  }
}

/** One kind of work. It waits if a connection was accepted since it was looked at last, but never for longer than {@link longestMs}. */
export class Job {
  readonly #iterations: Iterations;
  readonly #run: () => void;
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;
  #seen = 0;
  #waitsSince: number | undefined;

  constructor(iterations: Iterations, run: () => void) {
    this.#iterations = iterations;
    this.#run = run;
  }

  /** Runs it at the end of this event-loop iteration: once, however often this is called before. */
  soon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#atEnd);
  }

  /** Runs it after a pause of two milliseconds. */
  later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.soon();
    }, pauseMs).unref();
  }

  readonly #atEnd = (): void => {
    this.#isScheduled = false;
    if (this.#mustWait()) this.soon();
    else this.#run();
  };

  #mustWait(): boolean {
    const { accepted, clock } = this.#iterations;
    if (this.#seen === accepted) {
      this.#waitsSince = undefined;
      return false;
    }
    this.#seen = accepted;
    const now = clock();
    this.#waitsSince ??= now;
    if (now - this.#waitsSince < longestMs) return true;
    this.#waitsSince = undefined;
    return false;
  }
}
