import { isUnreachable } from '../../../../core/errors.ts';
import type { BatchResult } from '../../../../core/port/readings.ts';
import { Backlog, completeEach, type WaitingBatch } from '../../../shared/backlog.ts';

/** The most items in one statement, unless a single batch has more: some tens of milliseconds. */
const mostAtOnce = 20_000;

/** Writes batches in one statement and returns a result for each, in their order, once all are committed. */
export type WriteBatches<Batch> = (batches: readonly Batch[]) => Promise<BatchResult[]>;

/**
 * Gathers batches without a timer: while each writer waits for its commit, the next ones gather. `writers` are as
 * many as write at the same time.
 */
export function createIngestQueue<Batch>(
  writers: readonly WriteBatches<Batch>[],
  sizeOf: (batch: Batch) => number,
) {
  const backlog = new Backlog('database');
  const idleWriters = [...writers];
  const waitingBatches: WaitingBatch<Batch>[] = [];
  const emptyCallbacks: (() => void)[] = [];
  let isScheduled = false;

  /** Writes after the callbacks of this event-loop iteration, in which more may come. */
  const scheduleStart = () => {
    if (isScheduled || idleWriters.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      startWriters();
    });
  };

  const startWriters = () => {
    while (waitingBatches.length > 0) {
      const writer = idleWriters.pop();
      if (!writer) return;
      void runWriter(writer, nextBatches());
    }
    if (backlog.isEmpty) for (const callback of emptyCallbacks.splice(0)) callback();
  };

  const nextBatches = () => {
    let totalSize = 0;
    const batchesEnd = waitingBatches.findIndex(({ batch }, index) => {
      totalSize += sizeOf(batch);
      return index > 0 && totalSize > mostAtOnce;
    });
    return waitingBatches.splice(0, batchesEnd === -1 ? waitingBatches.length : batchesEnd);
  };

  const runWriter = async (
    writer: WriteBatches<Batch>,
    writtenBatches: readonly WaitingBatch<Batch>[],
  ) => {
    try {
      completeEach(writtenBatches, await writer(writtenBatches.map(({ batch }) => batch)));
    } catch (thrown) {
      // The waiting batches have waited as long already, and would wait for the same answer.
      const laterBatches = isUnreachable(thrown) ? waitingBatches.splice(0) : [];
      for (const { reject } of [...writtenBatches, ...laterBatches]) {
        reject(thrown);
      }
    }
    idleWriters.push(writer);
    startWriters();
  };

  return {
    /** Resolves once the batch is committed; `unavailable` if too much waits already. */
    write(batch: Batch): Promise<BatchResult> {
      return backlog.add(sizeOf(batch), (completion) => {
        waitingBatches.push({ batch, ...completion });
        scheduleStart();
      });
    },
    async drained(): Promise<void> {
      if (!backlog.isEmpty) await new Promise<void>((resolve) => emptyCallbacks.push(resolve));
    },
  };
}
