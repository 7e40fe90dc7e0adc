import type { Worker } from 'node:worker_threads';
import { HkctlError } from '../../../../core/errors.ts';
import type { Logged } from '../log/logged.ts';
import { fromPostedError } from '../thread-errors.ts';
import type { ReaderAnswer, ReaderData, ReaderRequest } from './messages.ts';
import type { Reader } from './reader.ts';

interface Waiter {
  resolve(read: never): void;
  reject(error: unknown): void;
}

/** The main thread's end of the reader thread, which `start` or a use starts, also after a crash. It reads in the order of the calls. */
export class ReaderClient {
  readonly #script: string;
  readonly #data: ReaderData;
  #worker: Worker | undefined;
  #isLoaded = false;
  #isStarted = false;
  #waiting: Waiter[] = [];
  #isClosed = false;

  constructor(script: string, file: string) {
    this.#script = script;
    this.#data = { file };
  }

  /** Whether `start` was called. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Starts the thread before there is anything to read: an upgrade may replace its files while the daemon runs. */
  start(): Promise<void> {
    this.#isStarted = true;
    const worker = this.#running();
    if (this.#isLoaded) return Promise.resolve();
    return new Promise((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', (error) => reject(brokenDown(error)));
      worker.once('exit', () => reject(brokenDown()));
    });
  }

  /** Reads something; `unavailable` if the thread crashed. Without `logged` the thread reads the log itself. */
  read<Kind extends keyof Reader>(
    kind: Kind,
    of: Parameters<Reader[Kind]>[0],
    logged?: Logged[Kind],
  ): Promise<ReturnType<Reader[Kind]>> {
    if (this.#isClosed) return Promise.reject(brokenDown());
    return new Promise((resolve, reject) => {
      const worker = this.#running();
      this.#waiting.push({ resolve, reject });
      // Only while something waits does the thread keep the process alive.
      worker.ref();
      worker.postMessage({ kind, of, logged } as ReaderRequest); // they belong together, as in the parameters
    });
  }

  /** Ends the thread once all that was called for is read. */
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
    if (answer === 'loaded') {
      this.#isLoaded = true;
      if (this.#waiting.length === 0) worker.unref();
      return;
    }
    const waiter = this.#waiting.shift();
    if (this.#waiting.length === 0) worker.unref();
    if ('read' in answer)
      waiter?.resolve(answer.read as never); // of the kind that was called for
    else waiter?.reject(fromPostedError(answer.error));
  }

  #broken(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#isLoaded = false;
    for (const { reject } of this.#waiting.splice(0)) reject(brokenDown(cause));
  }
}

function brokenDown(cause?: unknown): HkctlError {
  return new HkctlError('unavailable', 'The reader of the store broke down; try again.', { cause });
}
