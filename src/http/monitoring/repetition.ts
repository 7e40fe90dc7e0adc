/** Runs work at regular times, but never twice at once: if it takes longer, a time is left out. Keeps no process alive. */
export class Repetition {
  readonly #everyMs: number;
  readonly #work: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;

  constructor(everyMs: number, work: () => Promise<void>) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#working ??= this.#work().finally(() => {
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
}
