import { Worker } from 'node:worker_threads';
import { HkctlError } from '../../../core/errors.ts';
import type { BatchVerdict } from '../../../core/store.ts';
import type { WriteTask } from './ingest-writer.ts';
import type { WriterAnswer, WriterData, WriterRequest } from './messages.ts';

/** How much may wait for the disk: beyond it a caller is told to come again, rather than memory to grow. */
const maxWaitingReadings = 1_000_000;
const maxWaitingTasks = 20_000;

interface Waiter {
  size: number;
  resolve(verdict: BatchVerdict | null): void;
  reject(error: unknown): void;
}

type Task = WriteTask | { kind: 'uses'; uses: ReadonlyMap<string, number> } | { kind: 'close' };

/** The main thread's end of the writer: started at first use, and again where it broke down. */
export class WriterClient {
  readonly #script: string;
  readonly #data: WriterData;
  readonly #waiters = new Map<number, Waiter>();
  #worker: Worker | undefined;
  #lastId = 0;
  #waitingReadings = 0;

  constructor(script: string, path: string) {
    this.#script = script;
    this.#data = { path };
  }

  /** Resolves once the task is on disk; `unavailable` where too much waits already or the writer broke down. */
  send(task: Task): Promise<BatchVerdict | null> {
    const size = task.kind === 'readings' ? task.batch.count : task.kind === 'heartbeats' ? task.heartbeats.length : 0;
    const full = this.#waitingReadings + size > maxWaitingReadings || this.#waiters.size >= maxWaitingTasks;
    if (full && task.kind !== 'close') return Promise.reject(overloaded());
    const id = ++this.#lastId;
    this.#waitingReadings += size;
    return new Promise((resolve, reject) => {
      const worker = this.#running();
      // Only while something waits does the thread keep the process alive.
      if (this.#waiters.size === 0) worker.ref();
      this.#waiters.set(id, { size, resolve, reject });
      const request: WriterRequest = { id, ...task };
      worker.postMessage(request, transferred(task));
    });
  }

  /** Waits for what is under way and ends the thread. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    await this.send({ kind: 'close' });
    await worker.terminate();
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(this.#script, { workerData: this.#data });
    worker.on('message', (answer: WriterAnswer) => this.#settle(answer));
    worker.on('error', (error) => this.#broken(worker, error));
    worker.on('exit', () => this.#broken(worker, undefined));
    this.#worker = worker;
    return worker;
  }

  #settle(answer: WriterAnswer): void {
    const waiter = this.#waiters.get(answer.id);
    if (!waiter) return;
    this.#waiters.delete(answer.id);
    this.#waitingReadings -= waiter.size;
    if (this.#waiters.size === 0) this.#worker?.unref();
    if ('verdict' in answer) waiter.resolve(answer.verdict);
    else waiter.reject(new HkctlError(answer.error.code, answer.error.message, { hint: answer.error.hint }));
  }

  #broken(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    this.#waitingReadings = 0;
    const error = new HkctlError('unavailable', 'The writer of the store broke down; try again.', { cause });
    for (const waiter of waiters) waiter.reject(error);
  }
}

function overloaded(): HkctlError {
  return new HkctlError('unavailable', 'Too many readings wait for the disk.', { hint: 'Try again in a few seconds.' });
}

function transferred(task: Task): ArrayBuffer[] {
  if (task.kind !== 'readings') return [];
  const { series, atUs, value, quality } = task.batch;
  const buffers = [series.buffer, atUs.buffer, value.buffer, quality.buffer];
  return buffers.filter((buffer): buffer is ArrayBuffer => buffer instanceof ArrayBuffer);
}
