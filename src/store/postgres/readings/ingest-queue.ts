import { HkctlError } from '../../../core/errors.ts';
import type { BatchResult } from '../../../core/port/readings.ts';

/** How much may wait for the database: beyond it a caller gets `unavailable`, so that memory stays bounded. */
const mostWaiting = { items: 1_000_000, batches: 20_000 };

/** Items in one statement, unless a single batch has more; so many take some tens of milliseconds. */
const mostInGroup = 20_000;

interface Waiting<Batch> {
  batch: Batch;
  size: number;
  resolve(result: BatchResult): void;
  reject(error: unknown): void;
}

/** Writes batches in one statement and returns a result for each, in their order, once all are committed. */
export type WriteGroup<Batch> = (batches: readonly Batch[]) => Promise<BatchResult[]>;

/**
 * Gathers batches into groups without a timer: while each writer waits for its commit, the next group gathers. `writers` are as
 * many as write at the same time.
 */
export class IngestQueue<Batch> {
  readonly #sizeOf: (batch: Batch) => number;
  readonly #idle: WriteGroup<Batch>[];
  #waiting: Waiting<Batch>[] = [];
  #items = 0;
  #batches = 0;
  #isScheduled = false;
  #onEmpty: (() => void)[] = [];

  constructor(writers: readonly WriteGroup<Batch>[], sizeOf: (batch: Batch) => number) {
    this.#idle = [...writers];
    this.#sizeOf = sizeOf;
  }

  /** Resolves once the batch is committed; `unavailable` where too much waits already. */
  write(batch: Batch): Promise<BatchResult> {
    const size = this.#sizeOf(batch);
    if (this.#items + size > mostWaiting.items || this.#batches >= mostWaiting.batches) {
      return Promise.reject(overloaded());
    }
    this.#items += size;
    this.#batches++;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ batch, size, resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves once nothing waits any more. */
  async drained(): Promise<void> {
    if (this.#batches > 0) await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }

  /** Writes after the callbacks of this event-loop iteration, in which more may come. */
  #schedule(): void {
    if (this.#isScheduled || this.#idle.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#start();
    });
  }

  #start(): void {
    while (this.#waiting.length > 0) {
      const writer = this.#idle.pop();
      if (!writer) return;
      void this.#run(writer, this.#nextGroup());
    }
  }

  #nextGroup(): Waiting<Batch>[] {
    let size = 0;
    const end = this.#waiting.findIndex((one, index) => {
      size += one.size;
      return index > 0 && size > mostInGroup;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #run(writer: WriteGroup<Batch>, group: readonly Waiting<Batch>[]): Promise<void> {
    try {
      const results = await writer(group.map(({ batch }) => batch));
      for (const [index, { resolve, reject }] of group.entries()) {
        const result = results[index];
        if (result) resolve(result);
        else reject(new Error('the writer returned no result'));
      }
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
    }
    this.#batches -= group.length;
    for (const { size } of group) this.#items -= size;
    this.#idle.push(writer);
    if (this.#waiting.length > 0) this.#start();
    else if (this.#batches === 0) for (const call of this.#onEmpty.splice(0)) call();
  }
}

function overloaded(): HkctlError {
  return new HkctlError('unavailable', 'Too many readings wait for the database.', {
    hint: 'Try again in a few seconds.',
  });
}
