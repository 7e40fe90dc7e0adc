import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Log } from './log.ts';

/**
 * Work of a daemon at regular times, but never twice at once: if it takes longer, a time is left out. A fault is a warning in the
 * log, and the next time tries again: a full or locked disk may recover. Keeps no process alive.
 */
export abstract class Repetition {
  protected readonly log: Log;
  readonly #everyMs: number;
  readonly #failure: string;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;

  /** The log must hold back repeated warnings; `failure` is their text. */
  constructor(everyMs: number, log: Log, failure: string) {
    this.#everyMs = everyMs;
    this.log = log;
    this.#failure = failure;
  }

  protected abstract work(): MaybePromise<void>;

  async run(): Promise<void> {
    await this.attempt(() => this.work());
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#working ??= this.run().finally(() => {
        this.#working = undefined;
      });
    }, this.#everyMs);
    this.#timer.unref();
  }

  /** Ends after the running work. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
  }

  /** The result of a part of the work; undefined after a fault. */
  protected async attempt<T>(part: () => MaybePromise<T>): Promise<T | undefined> {
    try {
      return await part();
    } catch (thrown) {
      this.log.warn({ err: thrown }, this.#failure);
      return undefined;
    }
  }
}
