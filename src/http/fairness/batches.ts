import { FairQueue } from '../../core/sharing/fair-queue.ts';
import { clientOfSocket } from '../net/connections/table.ts';
import { Iterations, type Job } from './iterations.ts';

/** A piece of work that waits for the end of a request batch; an object, since a request has one anyway. */
export interface Work {
  /** Must not throw. */
  run(): void;
  /** The connection whose request it answers; none for a request whose head was part of an earlier batch. */
  readonly source?: Source | undefined;
}

export interface Source {
  readonly destroyed: boolean;
}

/** A batch takes at most this long, with the sending of its answers. Requests left by then wait for the next batch, round-robin by client. */
const longestMs = 2;
/** The longest time that the sending of one answer is expected to take. */
const longestSendMs = 0.1;

/**
 * Answers the requests that arrived in one event-loop iteration as a batch, once the last of them was read. A question whose
 * answer must be as new as the request (has any process changed the store?) is then asked once for the batch, since every
 * request of it came before. Answers are first computed in a row and then sent in a row: each system call evicts the
 * code that computes the next answer from the processor's caches.
 */
export class RequestBatches {
  #waiting: Work[] = [];
  #deliveries: (() => void)[] = [];
  #number = 0;
  #isRunning = false;
  /** Requests for which an earlier batch had no time, by client: hundreds of one do not come before the single one of another. */
  readonly #left = new FairQueue<Work, unknown>();
  readonly #running: Job;
  /** How long it took to send an answer, on average over the last ones. */
  #sendMs = 0.02;

  constructor(iterations = new Iterations()) {
    this.#running = iterations.job(() => this.#runBatch());
  }

  /** Runs `work` at the end of this event-loop iteration, or of a later one if its client sends many requests. */
  join(work: Work): void {
    this.#waiting.push(work);
    this.#running.soon();
  }

  /** Calls `deliver`, which must not throw, once no promise has anything left to do, in a row with all others given by then. */
  send(deliver: () => void): void {
    if (this.#deliveries.push(deliver) > 1) return;
    whenSettled(() => {
      const all = this.#deliveries;
      this.#deliveries = [];
      const startedAt = performance.now();
      for (const one of all) one();
      const each = (performance.now() - startedAt) / all.length;
      this.#sendMs += (Math.min(longestSendMs, each) - this.#sendMs) / 8;
    });
  }

  /** Remembers the answers of `ask` by name for the rest of a batch; outside of a batch, and after an error, it asks again. */
  once<About extends [name?: string], T>(ask: (...about: About) => T): (...about: About) => T {
    const answers = new Map<string | undefined, T>();
    let askedIn = 0;
    return (...about) => {
      if (!this.#isRunning) return ask(...about);
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

  /** Runs synchronously, so that meanwhile nothing is read from a connection and no promise continues. */
  #runBatch(): void {
    const works = this.#waiting;
    this.#waiting = [];
    this.#number++;
    this.#isRunning = true;
    try {
      this.#run(works, performance.now() + longestMs);
    } finally {
      this.#isRunning = false;
      if (this.#left.size > 0) this.#running.soon();
    }
  }

  #run(works: readonly Work[], endsAt: number): void {
    let done = 0;
    const isTimeUp = (): boolean => ++done % 4 === 0 && performance.now() + done * this.#sendMs > endsAt;
    let from = 0;
    if (this.#left.size === 0) {
      while (from < works.length) {
        works[from++]?.run();
        if (isTimeUp()) break;
      }
    }
    for (let index = from; index < works.length; index++) {
      const work = works[index];
      if (work?.source === undefined) work?.run();
      else this.#left.add(clientOfSocket(work.source), work);
    }
    if (from > 0) return;
    for (let work = this.#left.take(); work !== undefined; work = this.#left.take()) {
      if (work.source?.destroyed) continue;
      work.run();
      if (isTimeUp()) return;
    }
  }
}

/** Node runs a tick that a microtask queued once no promise has anything left to do. */
function whenSettled(next: () => void): void {
  queueMicrotask(() => process.nextTick(next));
}
