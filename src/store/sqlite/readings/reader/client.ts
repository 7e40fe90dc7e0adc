import type { Worker } from 'node:worker_threads';
import { HkctlError } from '../../../../core/errors.ts';
import type { Slice, SliceRequest } from '../../../../core/readings/reads/slice-request.ts';
import { fromPostedError } from '../thread-errors.ts';
import type { ReaderAnswer, ReaderData, ReaderRequest } from './messages.ts';

interface Waiter {
  resolve(slice: Slice): void;
  reject(error: unknown): void;
}

/** The main thread's end of the reader thread, which `start` or a use starts, also after a crash. One slice at a time. */
export class ReaderClient {
  readonly #script: string;
  readonly #data: ReaderData;
  #worker: Worker | undefined;
  #isLoaded = false;
  #waiter: Waiter | undefined;
  #isClosed = false;

  constructor(script: string, file: string) {
    this.#script = script;
    this.#data = { file };
  }

  /** Starts the thread before there is anything to read: an upgrade may replace its files while the daemon runs. */
  start(): Promise<void> {
    const worker = this.#running();
    if (this.#isLoaded) return Promise.resolve();
    return new Promise((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', (error) => reject(brokenDown(error)));
      worker.once('exit', () => reject(brokenDown()));
    });
  }

  /** Reads a slice; `unavailable` where the thread crashed. Must not be called before the last read has settled. */
  readSlice(request: SliceRequest): Promise<Slice> {
    if (this.#isClosed) return Promise.reject(brokenDown());
    return new Promise((resolve, reject) => {
      const worker = this.#running();
      this.#waiter = { resolve, reject };
      // Only while something waits does the thread keep the process alive.
      worker.ref();
      worker.postMessage(request satisfies ReaderRequest);
    });
  }

  /** Ends the thread once the slice under way is read. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    worker.postMessage('close' satisfies ReaderRequest);
    await ended;
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    // Loading the module takes longer than most commands, which read little.
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const worker = new Worker(this.#script, { workerData: this.#data });
    worker.on('message', (answer: ReaderAnswer) => this.#settle(worker, answer));
    worker.on('error', (error) => this.#broken(worker, error));
    worker.on('exit', () => this.#broken(worker, undefined));
    this.#worker = worker;
    return worker;
  }

  #settle(worker: Worker, answer: ReaderAnswer): void {
    const waiter = this.#waiter;
    if (answer === 'loaded') {
      this.#isLoaded = true;
      if (!waiter) worker.unref();
      return;
    }
    this.#waiter = undefined;
    worker.unref();
    if ('slice' in answer) waiter?.resolve(answer.slice);
    else waiter?.reject(fromPostedError(answer.error));
  }

  #broken(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#isLoaded = false;
    this.#waiter?.reject(brokenDown(cause));
    this.#waiter = undefined;
  }
}

function brokenDown(cause?: unknown): HkctlError {
  return new HkctlError('unavailable', 'The reader of the store broke down; try again.', { cause });
}
