import { type Source, SourceQueues, type Work } from '../net/source-queues.ts';

/** What is done to connections that bring more than is answered. */
export interface Brakes<S extends Source = Source> {
  /** Reads nothing more from it until it is released. */
  hold(source: S): void;
  release(source: S): void;
  /** Closes it: there is more than enough waiting already. */
  shed(source: S): void;
}

/** The end of a turn takes so long at most; what is left by then waits for the next one, by turns of the connections. */
const longestMs = 8;
/** A connection that brings so many requests in a row is not read from until they are answered. */
const mostInRow = 64;
/** While so many requests wait, it is closed instead: each takes kilobytes of memory. */
const mostWaiting = 20_000;

const noBrakes: Brakes = { hold() {}, release() {}, shed() {} };
const never = () => false;

/**
 * Answers the requests that one turn of the event loop brought together, once the last of them was read. What must be as
 * new as the request (has any process changed the store?) is then asked once for all of them: each came before it was
 * asked. Answers are made in a row and then sent in a row: each one handed to the system drives the code that makes the
 * next out of the processor's caches.
 */
export class RequestBatches {
  #waiting: Work[] = [];
  #made: (() => void)[] = [];
  #number = 0;
  #isOn = false;
  #isScheduled = false;
  /** What an earlier turn had no time for. */
  readonly #left = new SourceQueues();
  readonly #brakes: Brakes;
  /** Whether connections are being accepted, which short iterations make fast. */
  readonly #mustWait: () => boolean;
  readonly #held = new Set<Source>();
  #last: Source | undefined;
  #inRow = 0;

  constructor(brakes: Brakes = noBrakes, mustWait: () => boolean = never) {
    this.#brakes = brakes;
    this.#mustWait = mustWait;
  }

  /** Runs `work` at the end of this turn, or of one of the next where it is one of many. */
  join(work: Work): void {
    const { source } = work;
    if (source !== undefined) {
      if (source !== this.#last) this.#inRow = 0;
      this.#last = source;
      if (++this.#inRow >= mostInRow && this.#holdBack(source)) return;
    }
    this.#waiting.push(work);
    this.#schedule();
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

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#end());
  }

  /** Nothing is read from a connection meanwhile, and no promise goes on. */
  #end(): void {
    this.#isScheduled = false;
    if (this.#mustWait()) {
      this.#schedule();
      return;
    }
    const works = this.#waiting;
    this.#waiting = [];
    this.#last = undefined;
    this.#number++;
    this.#isOn = true;
    try {
      this.#run(works, performance.now() + longestMs);
    } finally {
      this.#isOn = false;
      if (this.#held.size > 0) this.#releaseOne();
      if (this.#left.size > 0 || this.#held.size > 0) this.#schedule();
    }
  }

  #run(works: readonly Work[], endsAt: number): void {
    let done = 0;
    const isTimeUp = (): boolean => ++done % 4 === 0 && performance.now() > endsAt;
    let from = 0;
    if (this.#left.size === 0) {
      while (from < works.length) {
        works[from++]?.run();
        if (isTimeUp()) break;
      }
    }
    for (let index = from; index < works.length; index++) {
      const work = works[index];
      // What has no connection has been through a turn before, with its head.
      if (work?.source === undefined) work?.run();
      else this.#left.add(work.source, work);
    }
    if (from > 0) return;
    for (let work = this.#left.take(); work !== undefined; work = this.#left.take()) {
      work.run();
      if (isTimeUp()) return;
    }
  }

  /** True where the connection is closed, so that what it brought need not be answered. */
  #holdBack(source: Source): boolean {
    if (source.destroyed) return true;
    if (this.#left.size + this.#waiting.length > mostWaiting) {
      this.#brakes.shed(source);
      return true;
    }
    if (!this.#held.has(source)) {
      this.#held.add(source);
      this.#brakes.hold(source);
    }
    return false;
  }

  /** One at a time: each may bring hundreds at once, and reading them takes its time as well. */
  #releaseOne(): void {
    for (const source of this.#held) {
      if (this.#left.has(source)) continue;
      this.#held.delete(source);
      this.#brakes.release(source);
      return;
    }
  }
}

/** Node runs what is put off by a tick once no promise has anything left to do. */
function whenSettled(next: () => void): void {
  queueMicrotask(() => process.nextTick(next));
}
