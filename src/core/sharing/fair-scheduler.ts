import { FairQueue } from './fair-queue.ts';

interface WaitingTask {
  start(): void;
  reject(why: unknown): void;
}

/**
 * Runs asynchronous tasks of several owners, a limited number at once and one of each owner; all further tasks wait,
 * round-robin by owner.
 */
export class FairScheduler {
  readonly #maxRunning: number;
  readonly #waiting = new FairQueue<WaitingTask>();
  readonly #running = new Set<string>();

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  /** The number of waiting tasks of an owner. */
  waitingOf(owner: string): number {
    return this.#waiting.sizeOf(owner);
  }

  /**
   * Runs a task once fewer than `maxRunning` tasks run and none of its owner; settles as the task does. Rejects with the
   * reason of the signal if that is aborted while the task waits.
   */
  async run<T>(owner: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#mayRun(owner)) this.#running.add(owner);
    else await this.#start(owner, signal);

    try {
      return await task();
    } finally {
      this.#running.delete(owner);
      this.#waiting.take((nextOwner) => this.#mayRun(nextOwner))?.start();
    }
  }

  /** Rejects all tasks that wait. */
  rejectWaiting(reason: unknown): void {
    let waitingTask = this.#waiting.take();
    while (waitingTask) {
      waitingTask.reject(reason);
      waitingTask = this.#waiting.take();
    }
  }

  /** Resolves once the owner may run its task; from then on the owner counts as running. */
  #start(owner: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        // A client with many tasks has one signal for all of them.
        signal?.removeEventListener('abort', abort);
        this.#running.add(owner);
        resolve();
      };

      const waitingTask = { start, reject };
      const abort = (): void => {
        if (this.#waiting.remove(owner, waitingTask)) {
          reject(signal?.reason);
        }
      };

      this.#waiting.add(owner, waitingTask);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #mayRun(owner: string): boolean {
    return this.#running.size < this.#maxRunning && !this.#running.has(owner);
  }
}
