import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import { FairQueue } from '../../core/readings/fair-queue.ts';

/** The longest time of one slice; a request that arrives meanwhile waits for one or two of them. */
const sliceMs = 4;

/** Below this total, short tasks leave the slice as it is. */
const negligibleMs = 1;

/** Work that pauses at each `yield`: a step should take well under a millisecond or two. */
export type Steps<T> = Generator<void, T>;

interface Waiting {
  readonly holder: unknown;
  /** Runs one slice; returns true once the work has ended or failed. */
  advance(): boolean;
}

/**
 * Runs long work of the main thread in slices, some milliseconds in each event-loop iteration, so that requests are answered between them.
 * What waits is advanced round-robin by holder, which is a key: no key's work waits for all of another's.
 */
export class Slices {
  readonly #waiting = new FairQueue<Waiting, unknown>();
  #spentMs = 0;
  #isScheduled = false;
  readonly #mustWait: () => boolean;

  /** `mustWait` reports that connections are being accepted, which short iterations make fast. */
  constructor(mustWait: () => boolean = () => false) {
    this.#mustWait = mustWait;
  }

  /** Runs the work, at once where this iteration has time for it; rejects with the error that a step throws. */
  run<T>(holder: unknown, steps: Steps<T>): MaybePromise<T> {
    if (this.#waiting.size === 0 && this.#spentMs < sliceMs) {
      const result = this.#slice(steps);
      // An immediate costs one more event-loop iteration, which negligible work does not deserve.
      if (this.#spentMs > negligibleMs) this.#schedule();
      if (result.done) return result.value;
    }
    return new Promise<T>((resolve, reject) => {
      this.#waiting.add(holder, {
        holder,
        advance: () => {
          try {
            const result = this.#slice(steps);
            if (result.done) resolve(result.value);
            return result.done === true;
          } catch (thrown) {
            reject(thrown);
            return true;
          }
        },
      });
      this.#schedule();
    });
  }

  #slice<T>(steps: Steps<T>): IteratorResult<void, T> {
    const startedAt = performance.now();
    const endsAt = startedAt + sliceMs - this.#spentMs;
    try {
      for (;;) {
        const result = steps.next();
        if (result.done || performance.now() >= endsAt) return result;
      }
    } finally {
      this.#spentMs += performance.now() - startedAt;
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#mustWait()) {
        this.#schedule();
        return;
      }
      this.#spentMs = 0;
      while (this.#spentMs < sliceMs) {
        const work = this.#waiting.take();
        if (work === undefined) break;
        if (!work.advance()) this.#waiting.putBack(work.holder, work);
      }
      if (this.#waiting.size > 0) this.#schedule();
    });
  }
}

/** Runs all steps in a row. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const result = steps.next();
    if (result.done) return result.value;
  }
}
