import type { Worker } from 'node:worker_threads';
import { type ErrorCode, HkctlError, isHkctlError } from '../../../core/errors.ts';
import { textOfAny } from '../../../core/text/shown-text.ts';

export type ThreadCalls<Calls> = { [Kind in keyof Calls]: (...args: never[]) => unknown };

/** A request to a thread, which answers each with its id; without one, its end. */
export type ThreadRequest<Calls extends ThreadCalls<Calls>> =
  | {
      [Kind in keyof Calls]: {
        id: number;
        kind: Kind;
        args: Parameters<Calls[Kind]>;
      };
    }[keyof Calls]
  | { id: number; kind: 'start'; args: [] }
  | { kind: 'close' };

/** An error as a thread posts it to the main thread: the parts of one of the domain, or the stack of an unknown one. */
interface PostedError {
  code: ErrorCode;
  message: string;
  hint?: string | undefined;
}

/** The answer to a request: its result, or an error of the domain. Posted in lists. */
export type ThreadAnswer = { id: number; result: unknown } | { id: number; error: PostedError };

export function toPostedError(thrown: unknown): PostedError {
  if (isHkctlError(thrown))
    return { code: thrown.code, message: thrown.message, hint: thrown.hint };
  return { code: 'internal', message: detailsOf(thrown) };
}

function detailsOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return textOfAny(thrown);
  return thrown.stack ?? thrown.message;
}

/** The error that a thread posted; an unknown one is no error of the domain, so that its message is never shown. */
function fromPostedError({ code, message, hint }: PostedError): Error {
  return code === 'internal' ? new Error(message) : new HkctlError(code, message, { hint });
}

interface Waiter {
  resolve(result: never): void;
  reject(error: unknown): void;
}

interface ThreadOptions {
  script: string;
  data: unknown;
  role: string;
  beforeStart?(): void;
}

/** The main thread's connection to another thread. The first call starts the thread; after a crash, the next one does. */
export class ThreadClient<Calls extends ThreadCalls<Calls>> {
  readonly #options: ThreadOptions;
  readonly #waiters = new Map<number, Waiter>();
  #worker: Worker | undefined;
  #lastId = 0;
  /** Whether `start` was called. */
  isStarted = false;
  #isClosed = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Starts the thread before there is anything to do: an upgrade may replace its files while the daemon runs. */
  async start(): Promise<void> {
    this.isStarted = true;
    await this.#send('start', [], []);
  }

  /** Resolves with the result; `unavailable` if the thread crashed. Transferred buffers must not be used any more. */
  call<Kind extends keyof Calls>(
    kind: Kind,
    args: Parameters<Calls[Kind]>,
    transferred: readonly ArrayBuffer[] = [],
  ): Promise<ReturnType<Calls[Kind]>> {
    return this.#send(kind, args, transferred);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (!worker) return;

    const threadExit = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    worker.postMessage({ kind: 'close' });
    await threadExit;
  }

  #send<Result>(
    kind: keyof Calls | 'start',
    args: unknown[],
    transferred: readonly ArrayBuffer[],
  ): Promise<Result> {
    if (this.#isClosed) return Promise.reject(this.#brokenDown());

    return new Promise((resolve, reject) => {
      const worker = this.#startedWorker();
      // The thread keeps the process alive only while a call waits.
      if (this.#waiters.size === 0) worker.ref();
      const id = ++this.#lastId;
      this.#waiters.set(id, { resolve, reject });
      worker.postMessage({ id, kind, args }, transferred);
    });
  }

  #startedWorker(): Worker {
    if (this.#worker) return this.#worker;
    const { script, data, beforeStart } = this.#options;
    beforeStart?.();
    // Most commands need no thread, and do not load the module.
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const worker = new Worker(script, {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb },
    });

    worker.on('message', (answers: readonly ThreadAnswer[]) => {
      for (const answer of answers) this.#deliver(worker, answer);
    });
    worker.on('error', (error) => this.#broken(worker, error));
    worker.on('exit', () => this.#broken(worker, undefined));
    this.#worker = worker;
    return worker;
  }

  #deliver(worker: Worker, answer: ThreadAnswer): void {
    const waiter = this.#waiters.get(answer.id);
    this.#waiters.delete(answer.id);
    // A closing client keeps the process alive until the thread has ended.
    if (this.#waiters.size === 0 && !this.#isClosed) worker.unref();
    if ('result' in answer)
      waiter?.resolve(answer.result as never); // of the kind that was called for
    else waiter?.reject(fromPostedError(answer.error));
  }

  #broken(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const { reject } of waiters) reject(this.#brokenDown(cause));
  }

  #brokenDown(cause?: unknown): HkctlError {
    return new HkctlError(
      'unavailable',
      `The ${this.#options.role} of the store broke down; try again.`,
      { cause },
    );
  }
}

/** A fourth of the default: most objects of a thread are soon garbage, and the memory of a daemon is bounded. */
const maxYoungGenerationSizeMb = 12;
