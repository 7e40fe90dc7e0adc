import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import { FairQueue } from '../../core/readings/fair-queue.ts';

/** The time for costly work in one event-loop iteration, after which the main thread reads from connections again. */
const sliceMs = 4;

/**
 * Work of the main thread that takes a millisecond or more. A client may send hundreds of such requests in one packet, or
 * over hundreds of connections: after a slice the rest waits for the next event-loop iteration, round-robin by owner, so
 * that cheap requests are answered in between and no owner waits for all of another's.
 */
export class CostlyWork {
  readonly #waiting = new FairQueue<() => void>();
  readonly #clock: () => number;
  readonly #mustWait: () => boolean;
  #spentMs = 0;
  #isScheduled = false;

  /** `mustWait` reports that connections are being accepted, which short iterations make fast. */
  constructor(clock: () => number = () => performance.now(), mustWait: () => boolean = () => false) {
    this.#clock = clock;
    this.#mustWait = mustWait;
  }

  /** Runs `work` and returns its result: at once while this iteration has time left (then nothing waits), else later. */
  run<T>(owner: string, work: () => MaybePromise<T>): MaybePromise<T> {
    if (this.#spentMs < sliceMs) return this.#timed(work);
    return new Promise((resolve, reject) => {
      this.#waiting.add(owner, () => {
        try {
          resolve(this.#timed(work));
        } catch (thrown) {
          reject(thrown);
        }
      });
    });
  }

  #timed<T>(work: () => T): T {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => this.#nextIteration());
    }
    const startedAt = this.#clock();
    try {
      return work();
    } finally {
      this.#spentMs += this.#clock() - startedAt;
    }
  }

  #nextIteration(): void {
    if (this.#mustWait()) {
      setImmediate(() => this.#nextIteration());
      return;
    }
    this.#spentMs = 0;
    this.#isScheduled = false;
    while (this.#spentMs < sliceMs) {
      const work = this.#waiting.take();
      if (work === undefined) return;
      work();
    }
  }
}
