import { HkctlError } from '../../core/errors.ts';
import type { BatchResult } from '../../core/port/readings.ts';

/** A batch that waits to be written. */
export interface WaitingBatch {
  size: number;
  resolve(result: BatchResult): void;
  reject(error: unknown): void;
}

export function settleEach(group: readonly WaitingBatch[], results: readonly BatchResult[]): void {
  for (const [index, { resolve, reject }] of group.entries()) {
    const result = results[index];
    if (result) resolve(result);
    else reject(new Error('the writer returned no result'));
  }
}

/** How many readings, or heartbeats, and how many batches may wait to be written: beyond them a caller gets an error. */
const most = { items: 1_000_000, batches: 20_000 } as const;

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

  /** Counts a batch that will wait; returns the error `unavailable` if too much waits already. */
  add(items: number): HkctlError | undefined {
    if (this.#items + items > most.items || this.#batches >= most.batches) {
      const hint = 'Try again in a few seconds.';
      return new HkctlError('unavailable', `Too many readings wait for the ${this.#place}.`, { hint });
    }
    this.#items += items;
    this.#batches++;
    return undefined;
  }

  remove(group: readonly Pick<WaitingBatch, 'size'>[]): void {
    this.#batches -= group.length;
    for (const { size } of group) this.#items -= size;
  }
}
