import { FairQueue } from '../../core/readings/fair-queue.ts';

/**
 * Runs asynchronous tasks of several owners, a limited number at once and one of each owner; the others wait, round-robin by
 * owner.
 */
export class FairScheduler {
  readonly #most: number;
  readonly #waiting = new FairQueue<() => void>();
  readonly #running = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs a task once fewer than `most` tasks run and none of its owner; settles as the task does. */
  async run<T>(owner: string, task: () => Promise<T>): Promise<T> {
    if (this.#mayRun(owner)) this.#running.add(owner);
    else await this.#start(owner);
    try {
      return await task();
    } finally {
      this.#running.delete(owner);
      this.#waiting.take((next) => this.#mayRun(next))?.();
    }
  }

  /** Resolves once the owner may run its task; from then on the owner counts as running. */
  #start(owner: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(owner, () => {
        this.#running.add(owner);
        resolve();
      });
    });
  }

  #mayRun(owner: string): boolean {
    return this.#running.size < this.#most && !this.#running.has(owner);
  }
}
