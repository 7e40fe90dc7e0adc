import { isUnreachable } from '../../../../core/errors.ts';
import type { BatchResult } from '../../../../core/port/readings.ts';
import { Backlog, completeEach, type WaitingBatch } from '../../../shared/backlog.ts';

/** The most items in one statement, unless a single batch has more: some tens of milliseconds. */
const mostInGroup = 20_000;

/** Writes batches in one statement and returns a result for each, in their order, once all are committed. */
export type WriteGroup<Batch> = (batches: readonly Batch[]) => Promise<BatchResult[]>;

/**
 * Gathers batches into groups without a timer: while each writer waits for its commit, the next group gathers. `writers` are as
 * many as write at the same time.
 */
export function createIngestQueue<Batch>(
  writers: readonly WriteGroup<Batch>[],
  sizeOf: (batch: Batch) => number,
) {
  const backlog = new Backlog('database');
  const idle = [...writers];
  const waiting: WaitingBatch<Batch>[] = [];
  const onEmpty: (() => void)[] = [];
  let isScheduled = false;

  /** Writes after the callbacks of this event-loop iteration, in which more may come. */
  const schedule = () => {
    if (isScheduled || idle.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      start();
    });
  };

  const start = () => {
    while (waiting.length > 0) {
      const writer = idle.pop();
      if (!writer) return;
      void run(writer, nextGroup());
    }
    if (backlog.isEmpty) for (const call of onEmpty.splice(0)) call();
  };

  const nextGroup = () => {
    let size = 0;
    const groupEnd = waiting.findIndex(({ batch }, index) => {
      size += sizeOf(batch);
      return index > 0 && size > mostInGroup;
    });
    return waiting.splice(0, groupEnd === -1 ? waiting.length : groupEnd);
  };

  const run = async (writer: WriteGroup<Batch>, group: readonly WaitingBatch<Batch>[]) => {
    try {
      completeEach(group, await writer(group.map(({ batch }) => batch)));
    } catch (thrown) {
      // What waits has waited as long already, and would wait for the same answer.
      const others = isUnreachable(thrown) ? waiting.splice(0) : [];
      for (const { reject } of [...group, ...others]) reject(thrown);
    }
    idle.push(writer);
    start();
  };

  return {
    /** Resolves once the batch is committed; `unavailable` if too much waits already. */
    write(batch: Batch): Promise<BatchResult> {
      return backlog.add(sizeOf(batch), (completion) => {
        waiting.push({ batch, ...completion });
        schedule();
      });
    },
    async drained(): Promise<void> {
      if (!backlog.isEmpty) await new Promise<void>((resolve) => onEmpty.push(resolve));
    },
  };
}
