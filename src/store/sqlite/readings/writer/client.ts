import type { ClockProgress } from '../../../../core/port/clock.ts';
import type { KeyUse } from '../../../../core/port/keys.ts';
import type {
  BatchResult,
  DropRequest,
  DropResult,
  Heartbeat,
  ReadingBatch,
  RetentionState,
} from '../../../../core/port/readings.ts';
import type { UsageMerge } from '../../../../core/port/usage.ts';
import type { BackwardRequest } from '../../../../core/readings/reads/newest.ts';
import type { SliceRequest } from '../../../../core/readings/reads/slices.ts';
import { Spares } from '../../../../core/sharing/spares.ts';
import { Backlog, completeEach, type WaitingBatch } from '../../../shared/backlog.ts';
import { ThreadClient } from '../thread-client.ts';
import type { Buffered } from '../write-buffer/write-buffer.ts';
import { createRows, type JoinedBatches, joinBatches } from './ingest-writer.ts';

export interface WriterCalls {
  /** A result for each batch; long rows come back, to be used again. */
  batches(joined: JoinedBatches): {
    results: BatchResult[];
    rows: JoinedBatches['rows'] | undefined;
  };
  heartbeats(heartbeats: readonly Heartbeat[]): BatchResult;
  uses(uses: ReadonlyMap<string, KeyUse>, usage?: UsageMerge): void;
  clock(progress: ClockProgress): void;
  drop(request: DropRequest): DropResult;
  retention(entityId: string): RetentionState;
  /** The part of the write buffer that the reader thread needs for a slice. */
  slice(request: SliceRequest): Buffered['slice'];
  slices(requests: readonly SliceRequest[]): Buffered['slices'];
  newest(request: BackwardRequest): Buffered['newest'];
  states(series: readonly number[]): Buffered['states'];
}

/** Small batches share a message; the thread begins while the main thread still reads the rest. */
const batchesInMessage = 8;
const readingsInMessage = 1000;
/** How long a read waits for the thread, which may wait for a slow disk or for another process, in ms. */
const readsWaitMs = 500;

export class WriterClient extends ThreadClient<WriterCalls> {
  #gatheredBatches: WaitingBatch<ReadingBatch>[] = [];
  #gatheredReadings = 0;
  #isFlushPlanned = false;
  readonly #backlog = new Backlog('disk');
  /** Rows of joined batches, which go to the thread and come back: 8 MiB at most. */
  readonly #spares = new Spares(createRows, 1024 * 1024);

  /** Resolves once the batch is on disk; `unavailable` where too much waits already or the thread crashed. */
  write(batch: ReadingBatch): Promise<BatchResult> {
    return this.#backlog.add(batch.count, (completion) => {
      this.#gatheredBatches.push({ batch, ...completion });
      this.#gatheredReadings += batch.count;
      if (
        this.#gatheredBatches.length >= batchesInMessage ||
        this.#gatheredReadings >= readingsInMessage
      )
        this.#flush();
      else this.#flushSoon();
    });
  }

  /** The same for heartbeats, which come seldom. */
  writeHeartbeats(heartbeats: readonly Heartbeat[]): Promise<BatchResult> {
    return this.#backlog.add(heartbeats.length, ({ resolve, reject }) =>
      this.call('heartbeats', [heartbeats]).then(resolve, reject),
    );
  }

  /** The part of the write buffer that a read needs; undefined if the thread does not answer in time. */
  buffered<Kind extends keyof Buffered>(
    kind: Kind,
    argument: Parameters<WriterCalls[Kind]>[0],
  ): Promise<Buffered[Kind] | undefined> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(undefined), readsWaitMs);
      this.call(kind, [argument] as Parameters<WriterCalls[Kind]>) // its only argument
        .then((answer) => resolve(answer as Buffered[Kind]), reject) // as the calls have it
        .finally(() => clearTimeout(timer));
    });
  }

  override close(): Promise<void> {
    this.#flush();
    return super.close();
  }

  /** Flushes after the current callback, in which more may be written. */
  #flushSoon(): void {
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    process.nextTick(() => {
      this.#isFlushPlanned = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#gatheredBatches.length === 0) return;

    const flushedBatches = this.#gatheredBatches;
    this.#gatheredBatches = [];
    this.#gatheredReadings = 0;

    const joined = joinBatches(
      flushedBatches.map(({ batch }) => batch),
      (length) => this.#spares.take(length),
    );
    this.call('batches', [joined], [joined.rows.buffer]).then(
      ({ results, rows }) => {
        if (rows) this.#spares.give(rows, rows.length);
        completeEach(flushedBatches, results);
      },
      (error) => {
        for (const { reject } of flushedBatches) reject(error);
      },
    );
  }
}
