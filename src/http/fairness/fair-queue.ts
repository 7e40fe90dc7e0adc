/** Runs tasks, some at once and one of each holder; holders take turns, so that none waits for all of another's. */
export class FairQueue {
  readonly #most: number;
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #running = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs a task once its holder has no other and there is a place; settles as the task does. */
  async run<T>(holder: string, task: () => Promise<T>): Promise<T> {
    if (this.#mayRun(holder)) this.#running.add(holder);
    else await this.#place(holder);
    try {
      return await task();
    } finally {
      this.#running.delete(holder);
      this.#startNext();
    }
  }

  #mayRun(holder: string): boolean {
    return this.#running.size < this.#most && !this.#running.has(holder);
  }

  #place(holder: string): Promise<void> {
    return new Promise((start) => {
      const queue = this.#waiting.get(holder);
      if (queue) queue.push(start);
      else this.#waiting.set(holder, [start]);
    });
  }

  #startNext(): void {
    for (const [holder, queue] of this.#waiting) {
      if (!this.#mayRun(holder)) continue;
      const start = queue.shift();
      // Behind all others, for the next time.
      this.#waiting.delete(holder);
      if (queue.length > 0) this.#waiting.set(holder, queue);
      this.#running.add(holder);
      start?.();
      return;
    }
  }
}
