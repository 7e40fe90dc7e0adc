import { isUnreachable } from '../../../../core/errors.ts';
import type { BatchResult } from '../../../../core/port/readings.ts';
import { Backlog, settleEach, type WaitingBatch } from '../../../readings/backlog.ts';

/** The most items in one statement, unless a single batch has more: some tens of milliseconds. */
const mostInGroup = 20_000;

/** Writes batches in one statement and returns a result for each, in their order, once all are committed. */
export type WriteGroup<Batch> = (batches: readonly Batch[]) => Promise<BatchResult[]>;

/**
 * Gathers batches into groups without a timer: while each writer waits for its commit, the next group gathers. `writers` are as
 * many as write at the same time.
 */
export class IngestQueue<Batch> {
  readonly #sizeOf: (batch: Batch) => number;
  readonly #idle: WriteGroup<Batch>[];
  #waiting: WaitingBatch<Batch>[] = [];
  readonly #backlog = new Backlog('database');
  #isScheduled = false;
  #onEmpty: (() => void)[] = [];

  constructor(writers: readonly WriteGroup<Batch>[], sizeOf: (batch: Batch) => number) {
    this.#idle = [...writers];
    this.#sizeOf = sizeOf;
  }

  /** Resolves once the batch is committed; `unavailable` if too much waits already. */
  write(batch: Batch): Promise<BatchResult> {
    return this.#backlog.add(this.#sizeOf(batch), (settle) => {
      this.#waiting.push({ batch, ...settle });
      this.#schedule();
    });
  }

  async drained(): Promise<void> {
    if (!this.#backlog.isEmpty) await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
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

  #nextGroup(): WaitingBatch<Batch>[] {
    let size = 0;
    const end = this.#waiting.findIndex((one, index) => {
      size += this.#sizeOf(one.batch);
      return index > 0 && size > mostInGroup;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #run(writer: WriteGroup<Batch>, group: readonly WaitingBatch<Batch>[]): Promise<void> {
    try {
      settleEach(group, await writer(group.map(({ batch }) => batch)));
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
      // What waits has waited as long already, and would wait for the same answer.
      if (isUnreachable(thrown)) {
        for (const { reject } of this.#waiting.splice(0)) reject(thrown);
      }
    }
    this.#idle.push(writer);
    if (this.#waiting.length > 0) this.#start();
    else if (this.#backlog.isEmpty) for (const call of this.#onEmpty.splice(0)) call();
  }
}
