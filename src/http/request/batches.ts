import { type Source, SourceQueues, type Work } from '../net/source-queues.ts';

/** Slows down connections that send requests faster than they are answered. */
export interface FlowControl<S extends Source = Source> {
  /** Stops reading from a connection until it is released. */
  hold(source: S): void;
  release(source: S): void;
  /** Whether answers to a connection's earlier requests are still being sent, or wait until the client takes them. */
  isAnswering(source: S): boolean;
  /** Closes a connection, because too many requests wait already. */
  shed(source: S): void;
  /** The client that a connection belongs to, as far as it is known: its key or its network address. */
  clientOf(source: S): unknown;
}

/** A batch takes at most this long, with the sending of its answers. Requests left by then wait for the next batch, round-robin by client. */
const longestMs = 2;
/** The longest time that the sending of one answer is expected to take. */
const longestSendMs = 0.1;
/** After this many requests in a row, a connection is not read from until they are answered. */
const mostInRow = 64;
/** While this many requests wait, such a connection is closed instead: each request takes kilobytes of memory. */
const mostWaiting = 20_000;

/** The interval at which connections are looked at again that must take their answers first. */
const lookAgainMs = 5;

const noFlowControl: FlowControl = {
  hold() {},
  release() {},
  shed() {},
  isAnswering: () => false,
  clientOf: (source) => source,
};
const never = () => false;

/**
 * Answers the requests that arrived in one event-loop iteration as a batch, once the last of them was read. A question whose
 * answer must be as new as the request (has any process changed the store?) is then asked once for the batch, since every
 * request of it came before. Answers are first computed in a row and then sent in a row: each system call evicts the
 * code that computes the next answer from the processor's caches.
 */
export class RequestBatches {
  #waiting: Work[] = [];
  #deliveries: (() => void)[] = [];
  #number = 0;
  #isRunning = false;
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;
  /** Requests for which an earlier batch had no time. */
  readonly #left: SourceQueues;
  readonly #flow: FlowControl;
  /** Whether connections are being accepted: the shorter the event-loop iterations are, the sooner that is done. */
  readonly #mustWait: () => boolean;
  readonly #held = new Set<Source>();
  #last: Source | undefined;
  #inRow = 0;
  /** How long it took to send an answer, on average over the last ones. */
  #sendMs = 0.02;

  constructor(flow: FlowControl = noFlowControl, mustWait: () => boolean = never) {
    this.#flow = flow;
    this.#left = new SourceQueues((source) => flow.clientOf(source));
    this.#mustWait = mustWait;
  }

  /** Runs `work` at the end of this event-loop iteration, or of a later one where its connection sends many requests. */
  join(work: Work): void {
    const { source } = work;
    if (source !== undefined) {
      if (source !== this.#last) this.#inRow = 0;
      this.#last = source;
      if (++this.#inRow >= mostInRow && this.#holdBack(source)) return;
    }
    this.#waiting.push(work);
    this.#schedule();
  }

  /** Calls `deliver`, which must not throw, once no promise has anything left to do, in a row with all others given by then. */
  send(deliver: () => void): void {
    if (this.#deliveries.push(deliver) > 1) return;
    whenSettled(() => {
      const all = this.#deliveries;
      this.#deliveries = [];
      const startedAt = performance.now();
      for (const one of all) one();
      const each = (performance.now() - startedAt) / all.length;
      this.#sendMs += (Math.min(longestSendMs, each) - this.#sendMs) / 8;
    });
  }

  /** Remembers the answers of `ask` by name for the rest of a batch; outside of a batch, and after an error, it asks again. */
  once<About extends [name?: string], T>(ask: (...about: About) => T): (...about: About) => T {
    const answers = new Map<string | undefined, T>();
    let askedIn = 0;
    return (...about) => {
      if (!this.#isRunning) return ask(...about);
      if (askedIn !== this.#number) {
        answers.clear();
        askedIn = this.#number;
      }
      let answer = answers.get(about[0]);
      if (answer === undefined) {
        answer = ask(...about);
        answers.set(about[0], answer);
      }
      return answer;
    };
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runBatch());
  }

  /** Runs synchronously, so that meanwhile nothing is read from a connection and no promise continues. */
  #runBatch(): void {
    this.#isScheduled = false;
    if (this.#mustWait()) {
      this.#schedule();
      return;
    }
    const works = this.#waiting;
    this.#waiting = [];
    this.#last = undefined;
    this.#number++;
    this.#isRunning = true;
    try {
      this.#run(works, performance.now() + longestMs);
    } finally {
      this.#isRunning = false;
      const hasReleased = this.#held.size > 0 && this.#releaseOne();
      if (this.#left.size > 0 || (hasReleased && this.#held.size > 0)) this.#schedule();
      else if (this.#held.size > 0) this.#lookAgain();
    }
  }

  #run(works: readonly Work[], endsAt: number): void {
    let done = 0;
    const isTimeUp = (): boolean => ++done % 4 === 0 && performance.now() + done * this.#sendMs > endsAt;
    let from = 0;
    if (this.#left.size === 0) {
      while (from < works.length) {
        works[from++]?.run();
        if (isTimeUp()) break;
      }
    }
    for (let index = from; index < works.length; index++) {
      const work = works[index];
      // Work without a connection is a request whose head was part of an earlier batch.
      if (work?.source === undefined) work?.run();
      else this.#left.add(work.source, work);
    }
    if (from > 0) return;
    for (let work = this.#left.take(); work !== undefined; work = this.#left.take()) {
      work.run();
      if (isTimeUp()) return;
    }
  }

  /** True where the connection is closed, so that its requests need not be answered. */
  #holdBack(source: Source): boolean {
    if (source.destroyed) return true;
    if (this.#left.size + this.#waiting.length > mostWaiting) {
      this.#flow.shed(source);
      return true;
    }
    if (!this.#held.has(source)) {
      this.#held.add(source);
      this.#flow.hold(source);
    }
    return false;
  }

  /**
   * Releases one connection at a time: each may send hundreds of requests at once, and reading them takes time as well. One
   * whose client has not taken its answers stays held: they would pile up in memory, and closing thousands of them takes a
   * third of a second.
   */
  #releaseOne(): boolean {
    for (const source of this.#held) {
      if (this.#left.has(source) || (!source.destroyed && this.#flow.isAnswering(source))) continue;
      this.#held.delete(source);
      this.#flow.release(source);
      return true;
    }
    return false;
  }

  #lookAgain(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#schedule();
    }, lookAgainMs).unref();
  }
}

/** Node runs a tick that a microtask queued once no promise has anything left to do. */
function whenSettled(next: () => void): void {
  queueMicrotask(() => process.nextTick(next));
}
