/** What waits for the end of a turn; an object, since a request has one anyway. */
export interface Work {
  /** Must not throw. */
  run(): void;
}

/**
 * Answers the requests that one turn of the event loop brought together, once the last of them was read. What must be as
 * new as the request (has any process changed the store?) is then asked once for all of them: each came before it was
 * asked. Answers are made in a row and then sent in a row: each one handed to the system drives the code that makes the
 * next out of the processor's caches.
 */
export class Turns {
  #waiting: Work[] = [];
  #made: (() => void)[] = [];
  #number = 0;
  #isOn = false;

  /** Runs `work` at the end of this turn, after all that was waiting before it. */
  join(work: Work): void {
    if (this.#waiting.push(work) === 1) setImmediate(() => this.#end());
  }

  /** Calls `deliver` (it must not throw) in a row with all others that come before every promise has come to rest. */
  send(deliver: () => void): void {
    if (this.#made.push(deliver) > 1) return;
    whenSettled(() => {
      const all = this.#made;
      this.#made = [];
      for (const one of all) one();
    });
  }

  /**
   * A question whose answers hold for the rest of a turn's end; between the ends, and after an error, it is asked every
   * time.
   */
  once<About extends [name?: string], T>(ask: (...about: About) => T): (...about: About) => T {
    const answers = new Map<string | undefined, T>();
    let askedIn = 0;
    return (...about) => {
      if (!this.#isOn) return ask(...about);
      if (askedIn !== this.#number) {
        answers.clear();
        askedIn = this.#number;
      }
      let answer = answers.get(about[0]);
      if (answer === undefined) {
        answer = ask(...about);
        answers.set(about[0], answer);
      }
      return answer;
    };
  }

  /** Nothing is read from a connection meanwhile, and no promise goes on. */
  #end(): void {
    const works = this.#waiting;
    this.#waiting = [];
    this.#number++;
    this.#isOn = true;
    try {
      for (const work of works) work.run();
    } finally {
      this.#isOn = false;
    }
  }
}

/** Node runs what is put off by a tick once no promise has anything left to do. */
function whenSettled(next: () => void): void {
  queueMicrotask(() => process.nextTick(next));
}
