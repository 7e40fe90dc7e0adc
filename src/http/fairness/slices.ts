import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import { FairQueue } from '../../core/sharing/fair-queue.ts';
import { Iterations, type Job } from './iterations.ts';

/** The time of all such work together in one event-loop iteration; a request that arrives meanwhile waits for one or two of them. */
const sliceMs = 2;

/** Below this total, short tasks leave the slice as it is. */
const negligibleMs = 1;

/** Work that pauses at each `yield`: a step should take well under a millisecond or two. */
export type SliceSteps<T> = Generator<void, T>;

interface WaitingWork {
  readonly holder: unknown;
  /** Runs one slice; returns true once the work has ended or failed. */
  advance(): boolean;
}

/**
 * Runs all work of the main thread that takes a millisecond or more: some milliseconds of it in each event-loop iteration.
 * Cheap requests are answered in between, however much of it clients ask for. Waiting work is advanced round-robin
 * by holder, which is a key or a client: no key's work waits for all of another's.
 */
export class Slices {
  readonly #waitingWork = new FairQueue<WaitingWork, unknown>();
  readonly #clock: () => number;
  readonly #advancing: Job;
  #spentMs = 0;

  constructor(iterations = new Iterations(), clock: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#advancing = iterations.job(() => this.#advance());
  }

  /** Runs work that is one step, and gives its result; see {@link run}. */
  call<T>(holder: unknown, work: () => MaybePromise<T>): MaybePromise<T> {
    return this.run(holder, oneStep(work));
  }

  /** Runs work, at once if this iteration has time for it (it may throw then); else later, and rejects with the error of a step. */
  run<T>(holder: unknown, steps: SliceSteps<MaybePromise<T>>): MaybePromise<T> {
    if (this.#waitingWork.size === 0 && this.#spentMs < sliceMs) {
      const result = this.#slice(steps);
      if (result.done) return result.value;
    }
    return new Promise<T>((resolve, reject) => {
      this.#waitingWork.add(holder, {
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
      this.#advancing.soon();
    });
  }

  #slice<T>(steps: SliceSteps<T>): IteratorResult<void, T> {
    const startedAt = this.#clock();
    const endsAt = startedAt + sliceMs - this.#spentMs;
    try {
      for (;;) {
        const result = steps.next();
        if (result.done || this.#clock() >= endsAt) return result;
      }
    } finally {
      this.#spentMs += this.#clock() - startedAt;
      // An immediate costs one more event-loop iteration, which negligible work does not deserve.
      if (this.#spentMs > negligibleMs) this.#advancing.soon();
    }
  }

  #advance(): void {
    this.#spentMs = 0;
    while (this.#spentMs < sliceMs) {
      const work = this.#waitingWork.take();
      if (work === undefined) return;
      if (!work.advance()) this.#waitingWork.putBack(work.holder, work);
    }
  }
}

// biome-ignore lint/correctness/useYield: one step needs no pause.
function* oneStep<T>(work: () => T): SliceSteps<T> {
  return work();
}

export function finish<T>(steps: SliceSteps<T>): T {
  for (;;) {
    const result = steps.next();
    if (result.done) return result.value;
  }
}
