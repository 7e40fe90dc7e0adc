import type { MaybePromise } from '../../core/port/maybe-promise.ts';

/** So long one slice of long work may take; what comes meanwhile waits for one or two of them. */
const sliceMs = 4;

/** What short works took together does not count up to this. */
const hardlyMs = 1;

/** Work that stops now and then: each step should take well under a millisecond or two. */
export type Steps<T> = Generator<void, T>;

interface Waiting {
  /** Goes on for one slice; true once the work has ended, in whatever way. */
  advance(): boolean;
}

/**
 * Does long work of the main thread in slices, one in an iteration of the event loop, so that requests are answered
 * between them. The holders of what waits, which are keys, take turns: no key's work waits for all of another's.
 */
export class Slices {
  readonly #queues = new Map<string, Waiting[]>();
  #spentMs = 0;
  #isScheduled = false;
  readonly #mustWait: () => boolean;

  /** `mustWait` tells that connections are being accepted, which short iterations make fast. */
  constructor(mustWait: () => boolean = () => false) {
    this.#mustWait = mustWait;
  }

  /** Does the work, at once where this iteration has time for it; rejects with what a step throws. */
  run<T>(holder: string, steps: Steps<T>): MaybePromise<T> {
    if (this.#queues.size === 0 && this.#spentMs < sliceMs) {
      const result = this.#slice(steps);
      // An immediate makes the event loop go round once more: not for what is hardly anything.
      if (this.#spentMs > hardlyMs) this.#schedule();
      if (result.done) return result.value;
    }
    return new Promise<T>((resolve, reject) => {
      this.#enqueue(holder, {
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
    });
  }

  #enqueue(holder: string, work: Waiting): void {
    const queue = this.#queues.get(holder);
    if (queue) queue.push(work);
    else this.#queues.set(holder, [work]);
    this.#schedule();
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
      this.#advanceNext();
      if (this.#queues.size > 0) this.#schedule();
    });
  }

  /** One slice of the holder that has waited longest; its next work goes behind that of all others. */
  #advanceNext(): void {
    for (const [holder, queue] of this.#queues) {
      if (queue[0]?.advance()) queue.shift();
      this.#queues.delete(holder);
      if (queue.length > 0) this.#queues.set(holder, queue);
      return;
    }
  }
}

/** Does all steps in a row. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const result = steps.next();
    if (result.done) return result.value;
  }
}
