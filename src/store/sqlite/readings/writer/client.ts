import type { Worker } from 'node:worker_threads';
import { HkctlError } from '../../../../core/errors.ts';
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
import { fromPostedError } from '../thread-errors.ts';
import { toGroup } from './ingest-writer.ts';
import type { WriterAnswer, WriterCalls, WriterData, WriterRequest } from './messages.ts';

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

interface Waiter {
  resolve(result: never): void;
  reject(error: unknown): void;
}

/** The main thread's end of the writer thread, which starts at first use and again after a crash. */
export class WriterClient {
  readonly #script: string;
  readonly #data: WriterData;
  readonly #requireFiles: () => void;
  readonly #waiters = new Map<number, Waiter>();
  #worker: Worker | undefined;
  #lastId = 0;
  #gathered: Gathered[] = [];
  #gatheredReadings = 0;
  #flushing = false;
  readonly #backlog = new Backlog('disk');

  /** `requireFiles` is called before each start of the thread, which opens the files by their names. */
  constructor(script: string, data: WriterData, requireFiles: () => void) {
    this.#script = script;
    this.#data = data;
    this.#requireFiles = requireFiles;
  }

  /** Starts the thread before there is anything to write; resolves once it has the files open. */
  async start(): Promise<void> {
    await this.recordUse(new Map());
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
    await this.#send('uses', { uses, usage });
  }

  /** Resolves once the samples of the clock are on disk. */
  async mergeClock(progress: ClockProgress): Promise<void> {
    await this.#send('clock', progress);
  }

  /** Resolves once a step of dropping old readings is on disk. */
  drop(request: DropRequest): Promise<DropResult> {
    return this.#send('drop', request);
  }

  retention(entityId: string): Promise<RetentionState> {
    return this.#send('retention', entityId);
  }

  /** What a read needs of the log; undefined if the thread has no time for that. */
  logged<Kind extends keyof Logged>(kind: Kind, of: WriterCalls[Kind]['of']): Promise<Logged[Kind] | undefined> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(undefined), readsWaitMs);
      this.#send(kind, of)
        .then((found) => resolve(found as Logged[Kind]), reject) // as the calls have it
        .finally(() => clearTimeout(timer));
    });
  }

  /** Waits for pending writes and ends the thread. */
  async close(): Promise<void> {
    this.#flush();
    const worker = this.#worker;
    if (!worker) return;
    await this.#send('close', null);
    await worker.terminate();
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
    this.#send('group', group, [group.rows.buffer]).then(
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

  #send<Kind extends keyof WriterCalls>(
    kind: Kind,
    of: WriterCalls[Kind]['of'],
    transferred: ArrayBufferLike[] = [],
  ): Promise<WriterCalls[Kind]['result']> {
    return new Promise((resolve, reject) => {
      const worker = this.#running();
      // Only while something waits does the thread keep the process alive.
      if (this.#waiters.size === 0) worker.ref();
      const id = ++this.#lastId;
      this.#waiters.set(id, { resolve, reject });
      const request = { id, kind, of } as WriterRequest; // they belong together, as in the parameters
      worker.postMessage(request, transferred as ArrayBuffer[]); // none of ours is shared
    });
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    this.#requireFiles();
    // Loading the module takes longer than most commands, which write no readings.
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const worker = new Worker(this.#script, { workerData: this.#data });
    worker.on('message', (answers: readonly WriterAnswer[]) => {
      for (const answer of answers) this.#settle(answer);
    });
    worker.on('error', (error) => this.#broken(worker, error));
    worker.on('exit', () => this.#broken(worker, undefined));
    this.#worker = worker;
    return worker;
  }

  #settle(answer: WriterAnswer): void {
    const waiter = this.#waiters.get(answer.id);
    if (!waiter) return;
    this.#waiters.delete(answer.id);
    if (this.#waiters.size === 0) this.#worker?.unref();
    if ('result' in answer)
      waiter.resolve(answer.result as never); // of the kind that was asked for
    else waiter.reject(fromPostedError(answer.error));
  }

  #broken(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    const error = new HkctlError('unavailable', 'The writer of the store broke down; try again.', { cause });
    for (const waiter of waiters) waiter.reject(error);
  }
}
