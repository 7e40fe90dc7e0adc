import { FairQueue } from '../../core/readings/fair-queue.ts';

/** Runs work of several owners one piece at a time, round-robin by owner: a second piece of one waits for the others. */
export class FairLine {
  readonly #waiting = new FairQueue<() => Promise<void>>();
  #isRunning = false;

  /** Settles as `work` does. */
  run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(owner, () => work().then(resolve, reject));
      if (!this.#isRunning) void this.#go();
    });
  }

  async #go(): Promise<void> {
    this.#isRunning = true;
    for (let work = this.#waiting.take(); work; work = this.#waiting.take()) await work();
    this.#isRunning = false;
  }
}
