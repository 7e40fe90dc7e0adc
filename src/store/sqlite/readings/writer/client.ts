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
import type { SliceRequest } from '../../../../core/readings/reads/slice-request.ts';
import { Backlog, settleEach, type WaitingBatch } from '../../../readings/backlog.ts';
import type { Logged } from '../log/logged.ts';
import { ThreadClient } from '../thread-client.ts';
import { type IngestGroup, toGroup } from './ingest-writer.ts';

/** Data with which the writer thread starts. */
export interface WriterData {
  /** Path of the store's registry; the other files follow from it. */
  path: string;
}

/** What the main thread can ask for, and the results. */
export interface WriterCalls {
  group: { of: IngestGroup; result: BatchResult[] };
  heartbeats: { of: readonly Heartbeat[]; result: BatchResult };
  uses: { of: { uses: ReadonlyMap<string, KeyUse>; usage: UsageMerge | undefined }; result: null };
  clock: { of: ClockProgress; result: null };
  drop: { of: DropRequest; result: DropResult };
  retention: { of: string; result: RetentionState };
  /** What the reader thread needs of the log for a slice. */
  slice: { of: SliceRequest; result: Logged['slice'] };
  /** The same for states. */
  states: { of: readonly number[]; result: Logged['states'] };
}

/**
 * Size of one message to the thread. A message costs as much as a small request, so that several requests share one; but
 * the thread should begin while the main thread still reads the rest, or the two would only alternate.
 */
const batchesInMessage = 8;
const readingsInMessage = 1000;
/** How long a read waits for the thread, which may wait for a slow disk or for another process, in ms. */
const readsWaitMs = 500;

interface Gathered extends WaitingBatch {
  batch: ReadingBatch;
}

/** The main thread's end of the writer thread. */
export class WriterClient {
  readonly #thread: ThreadClient<WriterCalls>;
  #gathered: Gathered[] = [];
  #gatheredReadings = 0;
  #flushing = false;
  readonly #backlog = new Backlog('disk');

  /** `requireFiles` is called before each start of the thread, which opens the files by their names. */
  constructor(script: string, data: WriterData, requireFiles: () => void) {
    this.#thread = new ThreadClient({ script, data, role: 'writer', beforeStart: requireFiles });
  }

  /** Starts the thread before there is anything to write; resolves once it has the files open. */
  start(): Promise<void> {
    return this.#thread.start();
  }

  /** Resolves once the batch is on disk; `unavailable` where too much waits already or the thread crashed. */
  write(batch: ReadingBatch): Promise<BatchResult> {
    const size = batch.count;
    const refusal = this.#backlog.add(size);
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      this.#gathered.push({ batch, size, resolve, reject });
      this.#gatheredReadings += size;
      if (this.#gathered.length >= batchesInMessage || this.#gatheredReadings >= readingsInMessage) this.#flush();
      else this.#flushSoon();
    });
  }

  /** The same for heartbeats, which come seldom. */
  async writeHeartbeats(heartbeats: readonly Heartbeat[]): Promise<BatchResult> {
    const size = heartbeats.length;
    const refusal = this.#backlog.add(size);
    if (refusal) throw refusal;
    return this.#thread.call('heartbeats', heartbeats).finally(() => this.#backlog.remove([{ size }]));
  }

  /** Resolves once the uses and the usage are on disk. */
  async recordUse(uses: ReadonlyMap<string, KeyUse>, usage?: UsageMerge): Promise<void> {
    await this.#thread.call('uses', { uses, usage });
  }

  /** Resolves once the samples of the clock are on disk. */
  async mergeClock(progress: ClockProgress): Promise<void> {
    await this.#thread.call('clock', progress);
  }

  /** Resolves once a step of dropping old readings is on disk. */
  drop(request: DropRequest): Promise<DropResult> {
    return this.#thread.call('drop', request);
  }

  retention(entityId: string): Promise<RetentionState> {
    return this.#thread.call('retention', entityId);
  }

  /** What a read needs of the log; undefined if the thread has no time for that. */
  logged<Kind extends keyof Logged>(kind: Kind, of: WriterCalls[Kind]['of']): Promise<Logged[Kind] | undefined> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(undefined), readsWaitMs);
      this.#thread
        .call(kind, of)
        .then((found) => resolve(found as Logged[Kind]), reject) // as the calls have it
        .finally(() => clearTimeout(timer));
    });
  }

  /** Waits for pending writes and ends the thread. */
  close(): Promise<void> {
    this.#flush();
    return this.#thread.close();
  }

  /** Flushes after the current callback, in which more may be written. */
  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    process.nextTick(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#gathered.length === 0) return;
    const gathered = this.#gathered;
    this.#gathered = [];
    this.#gatheredReadings = 0;
    const group = toGroup(gathered.map(({ batch }) => batch));
    this.#thread.call('group', group, [group.rows.buffer]).then(
      (results) => {
        this.#backlog.remove(gathered);
        settleEach(gathered, results);
      },
      (error) => {
        this.#backlog.remove(gathered);
        for (const { reject } of gathered) reject(error);
      },
    );
  }
}
