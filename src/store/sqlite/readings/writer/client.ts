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
import { Backlog, settleEach, type WaitingBatch } from '../../../readings/backlog.ts';
import type { Logged } from '../log/logged.ts';
import { ThreadClient } from '../thread-client.ts';
import { toGroup } from './ingest-writer.ts';
import type { WriterCalls, WriterData } from './messages.ts';

/**
 * Size of one message to the thread. A message costs as much as a small request, so that several requests share one; but
 * the thread should begin while the main thread still reads the rest, or the two would only alternate.
 */
const batchesInMessage = 8;
const readingsInMessage = 1000;
/** How long a read waits for the thread, which may wait for a slow disk or for another process, in ms. */
const readsWaitMs = 500;

/** A batch on its way to the disk. */
type IngestTask = { kind: 'readings'; batch: ReadingBatch } | { kind: 'heartbeats'; heartbeats: readonly Heartbeat[] };

interface Gathered extends WaitingBatch {
  task: IngestTask;
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
  write(task: IngestTask): Promise<BatchResult> {
    const size = task.kind === 'readings' ? task.batch.count : task.heartbeats.length;
    const refusal = this.#backlog.add(size);
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      this.#gathered.push({ task, size, resolve, reject });
      this.#gatheredReadings += size;
      if (this.#gathered.length >= batchesInMessage || this.#gatheredReadings >= readingsInMessage) this.#flush();
      else this.#flushSoon();
    });
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
    const batches: ReadingBatch[] = [];
    const beats: (readonly Heartbeat[])[] = [];
    const readings: Gathered[] = [];
    const heartbeats: Gathered[] = [];
    for (const one of gathered) {
      if (one.task.kind === 'readings') {
        batches.push(one.task.batch);
        readings.push(one);
      } else {
        beats.push(one.task.heartbeats);
        heartbeats.push(one);
      }
    }
    const group = toGroup(batches, beats);
    this.#thread.call('group', group, [group.rows.buffer]).then(
      (result) => {
        this.#backlog.remove(gathered);
        settleEach(readings, result.readings);
        settleEach(heartbeats, result.heartbeats);
      },
      (error) => {
        this.#backlog.remove(gathered);
        for (const { reject } of gathered) reject(error);
      },
    );
  }
}
