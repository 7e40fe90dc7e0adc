/** The pause before what waits for its time is looked at again. */
const pauseMs = 2;

/** Runs a function as long as something waits: in the next event-loop iteration, or after a pause. */
export class Turns {
  readonly #run: () => void;
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(run: () => void) {
    this.#run = run;
  }

  /** Runs it in the next event-loop iteration: once, however often this is called before. */
  soon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#run();
    });
  }

  /** Runs it after a pause of two milliseconds. */
  later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.soon();
    }, pauseMs).unref();
  }
}
