import { FairQueue } from '../../core/sharing/fair-queue.ts';
import { Iterations, type Job } from './iterations.ts';

/** A piece of work that waits for the end of a request batch; an object, since a request has one anyway. */
export interface Work {
  /** Must not throw. */
  run(): void;
  /** The client that it is for: one that sends many requests does not hold up others. */
  readonly client?: unknown;
  /** Nobody waits for it any more. */
  readonly isGone?: boolean;
}

/** A batch takes at most this long, with the sending of its answers; the requests left by then wait for the next one. */
const maxBatchMs = 2;
/** The longest time that the sending of one answer is expected to take. */
const maxSendMs = 0.1;

/**
 * Answers the requests that arrived in one event-loop iteration as a batch, once the last of them was read. Whether any
 * process has changed the store is then asked once for all of them. Answers are first computed in a row and then sent in a
 * row: each system call evicts the code that computes the next answer from the processor's caches.
 */
export class RequestBatches {
  /** Taken round-robin by client: hundreds of requests of one do not come before the single one of another. */
  readonly #waiting = new FairQueue<Work, unknown>();
  #deliveries: ((nowMs: number) => void)[] = [];
  #batchNumber = 0;
  #isRunning = false;
  readonly #running: Job;
  /** The time that sending an answer took, as a moving average. */
  #sendMs = 0.02;

  constructor(iterations = new Iterations()) {
    this.#running = iterations.job(() => this.#runBatch());
  }

  /** Runs `work` at the end of this event-loop iteration, or of a later one if its client sends many requests. */
  join(work: Work): void {
    this.#waiting.add(work.client, work);
    this.#running.soon();
  }

  /**
   * Calls `deliver`, which must not throw, with the time once no promise has anything left to do, in a row with all others
   * given by then.
   */
  send(deliver: (nowMs: number) => void): void {
    if (this.#deliveries.push(deliver) > 1) return;
    whenSettled(() => {
      const deliveries = this.#deliveries;
      this.#deliveries = [];
      const startedAt = performance.now();
      for (const deliver of deliveries) deliver(startedAt);
      const averageMs = (performance.now() - startedAt) / deliveries.length;
      this.#sendMs += (Math.min(maxSendMs, averageMs) - this.#sendMs) / 8;
    });
  }

  /** Remembers the answers of `askStore` by name for the rest of a batch; outside of a batch, and after an error, it asks again. */
  once<Question extends [name?: string], T>(
    askStore: (...question: Question) => T,
  ): (...question: Question) => T {
    const answers = new Map<string | undefined, T>();
    let askedInBatch = 0;
    return (...question) => {
      if (!this.#isRunning) return askStore(...question);
      if (askedInBatch !== this.#batchNumber) {
        answers.clear();
        askedInBatch = this.#batchNumber;
      }
      let answer = answers.get(question[0]);
      if (answer === undefined) {
        answer = askStore(...question);
        answers.set(question[0], answer);
      }
      return answer;
    };
  }

  /** Runs synchronously, so that meanwhile nothing is read from a connection and no promise continues. */
  #runBatch(): void {
    const endsAt = performance.now() + maxBatchMs;
    this.#batchNumber++;
    this.#isRunning = true;
    try {
      this.#runUntil(endsAt);
    } finally {
      this.#isRunning = false;
      if (this.#waiting.size > 0) this.#running.soon();
    }
  }

  /** Requests that join meanwhile wait for the next batch. */
  #runUntil(endsAt: number): void {
    let answered = 0;
    for (let remaining = this.#waiting.size; remaining > 0; remaining--) {
      const work = this.#waiting.take();
      if (work === undefined || work.isGone) continue;
      work.run();
      if (++answered % 4 === 0 && performance.now() + answered * this.#sendMs > endsAt) return;
    }
  }
}

/** Node runs a tick that a microtask queued once no promise has anything left to do. */
function whenSettled(callback: () => void): void {
  queueMicrotask(() => process.nextTick(callback));
}
