import { HkctlError } from '../../core/errors.ts';
import type { BatchResult } from '../../core/port/readings.ts';

export interface WaitingBatch<Batch> {
  batch: Batch;
  resolve(result: BatchResult): void;
  reject(error: unknown): void;
}

export function completeEach(
  waitingBatches: readonly WaitingBatch<unknown>[],
  results: readonly BatchResult[],
): void {
  for (const [index, waitingBatch] of waitingBatches.entries()) {
    const { resolve, reject } = waitingBatch;
    const result = results[index];
    if (result) resolve(result);
    else reject(new Error('the writer returned no result'));
  }
}

/** How many readings, or heartbeats, and how many batches may wait to be written. */
const limits = { items: 1_000_000, batches: 20_000 } as const;

/** Counts what waits to be written, so that memory stays bounded. */
export class Backlog {
  readonly #place: string;
  #items = 0;
  #batches = 0;

  /** `place` is what they wait for, such as `disk`. */
  constructor(place: string) {
    this.#place = place;
  }

  get isEmpty(): boolean {
    return this.#batches === 0;
  }

  /** Begins a batch, which counts until it is resolved or rejected; `unavailable` if too much waits already. */
  add(
    items: number,
    startWriting: (completion: Omit<WaitingBatch<unknown>, 'batch'>) => void,
  ): Promise<BatchResult> {
    return new Promise((resolve, reject) => {
      const isFull = this.#items + items > limits.items || this.#batches >= limits.batches;
      if (isFull) {
        const hint = 'Try again in a few seconds.';
        return reject(
          new HkctlError('unavailable', `Too many readings wait for the ${this.#place}.`, { hint }),
        );
      }

      this.#items += items;
      this.#batches++;
      const countedUntil =
        <Given>(complete: (value: Given) => void) =>
        (value: Given) => {
          this.#items -= items;
          this.#batches--;
          complete(value);
        };
      startWriting({ resolve: countedUntil(resolve), reject: countedUntil(reject) });
    });
  }
}
