import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { H3Event } from 'h3';
import type { MaybePromise } from '../core/port/maybe-promise.ts';
import type { Answer } from './answers/answer.ts';
import { ApiError, shuttingDown, toProblem } from './answers/problem.ts';
import type { RequestBatches, Work } from './fairness/batches.ts';
import type { BodyPace } from './fairness/body-pace.ts';
import type { Slices } from './fairness/slices.ts';
import type { Log } from './monitoring/log.ts';
import type { Metrics, RouteCounts } from './monitoring/metrics.ts';
import { clientOfSocket } from './net/connections/table.ts';
import { preconditionFault } from './request/caching.ts';
import type { Cors } from './request/cors.ts';
import { Exchange } from './request/exchange.ts';
import type { Memory } from './request/memory.ts';
import { headOf, largeBody, send, sendLarge } from './request/response.ts';

/** Answers a request; an error that it throws, rejects with or returns becomes a problem document. */
export type Handler = (exchange: Exchange) => MaybePromise<Answer | ApiError>;

/** The services that every request needs. */
export interface CallOptions {
  batches: RequestBatches;
  memory: Memory;
  metrics: Metrics;
  cors: Cors;
  /** Drops bodies that are still coming when their requests are answered. */
  pace: BodyPace;
  /** Where large answers are sent. */
  slices: Slices;
  log: Log;
  commonHeaders: readonly string[];
  /** True while the daemon drains: no new request is started, unless another daemon takes over its socket. */
  isStopping?(): boolean;
  /** Whether a request that arrives meanwhile is answered, and its connection then closed, instead of refused. */
  answersWhileStopping?: boolean;
  /** Why no request can be answered at a time (`performance.now()`): the files of the store were replaced or lost. */
  storeRefusal?(nowMs: number): ApiError | undefined;
  warnUnavailable(id: string, thrown: unknown): void;
}

/**
 * Builds the pipeline of a route: run its handler in a request batch, count and log the answer or problem, send it through
 * Node's server. h3 receives nothing.
 */
export function createCalls(options: CallOptions) {
  const { batches } = options;
  const nextId = createRequestIds();
  return (route: string, handler: Handler): ((event: H3Event) => undefined) => {
    const counts = options.metrics.route(route);
    const services = route === '/healthz' ? { ...options, storeRefusal: undefined } : options;
    return (event) => {
      batches.join(new Call(services, counts, handler, new Exchange(event, nextId())));
      return undefined;
    };
  };
}

class Call implements Work {
  readonly exchange: Exchange;
  readonly client: unknown;
  readonly #socket: Socket;
  readonly #options: CallOptions;
  readonly #counts: RouteCounts;
  readonly #handler: Handler;
  readonly #startedAt = performance.now();

  constructor(options: CallOptions, counts: RouteCounts, handler: Handler, exchange: Exchange) {
    this.#options = options;
    this.#counts = counts;
    this.#handler = handler;
    this.exchange = exchange;
    this.#socket = exchange.node.req.socket;
    this.client = clientOfSocket(this.#socket);
  }

  /** What a client has sent counts, also if it did not wait for the answer. */
  get isGone(): boolean {
    return this.#socket.destroyed && this.exchange.method !== 'POST';
  }

  run(): void {
    const { isStopping, answersWhileStopping, storeRefusal, cors } = this.#options;
    let outcome: MaybePromise<Answer | ApiError>;
    try {
      const refusal = storeRefusal?.(this.#startedAt);
      if (refusal !== undefined) throw refusal;
      if (isStopping?.() && !answersWhileStopping) throw shuttingDown;
      if (cors.isOn) cors.addHeaders(this.exchange);
      outcome = this.#handler(this.exchange);
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    if (!(outcome instanceof Promise)) this.#settle(outcome);
    else {
      void outcome.then(
        // The store may have been replaced while the body arrived or the disk was written.
        (settled) => this.#settle(storeRefusal?.(performance.now()) ?? settled),
        (thrown: unknown) => this.#fail(thrown),
      );
    }
  }

  #settle(outcome: Answer | ApiError): void {
    const fault = outcome instanceof ApiError ? outcome : preconditionFault(this.exchange, outcome);
    if (fault !== undefined) {
      this.#fail(fault);
      return;
    }
    try {
      this.#finish(outcome as Answer); // an ApiError is a fault
    } catch (thrown) {
      // The answer may not fit into the shared memory; any other error is an internal one.
      if (thrown instanceof ApiError) this.#fail(thrown);
      else this.#cut(thrown);
    }
  }

  #fail(thrown: unknown): void {
    try {
      this.#finish(this.#refuse(thrown));
    } catch (worse) {
      this.#cut(worse);
    }
  }

  #refuse(thrown: unknown): Answer {
    const { exchange } = this;
    const { metrics, log, warnUnavailable } = this.#options;
    const problem = toProblem(thrown, exchange.id);
    metrics.countRefusal(problem.code);
    exchange.code = problem.code;
    if (problem.code === 'internal') log.error({ id: exchange.id, err: thrown }, 'internal error');
    else if (problem.code === 'unavailable') warnUnavailable(exchange.id, thrown);
    return problem;
  }

  #finish(answer: Answer): void {
    const { exchange } = this;
    const { batches, memory, commonHeaders, isStopping, log } = this.#options;
    memory.settle(exchange, answer);
    const head = headOf(exchange, answer, commonHeaders);
    // A client that kept the connection open would send its next request while the daemon closes it.
    if (isStopping?.()) head.push('Connection', 'close');
    const ms = performance.now() - this.#startedAt;
    this.#counts.observe(answer.status, ms / 1000);
    exchange.tally?.countRequest(exchange.code);
    log.request(exchange, answer.status, ms);
    batches.send(() => this.#deliver(answer, head));
  }

  #deliver(answer: Answer, head: string[]): void {
    const { exchange } = this;
    const { node, method } = exchange;
    try {
      const large = largeBody(answer, method);
      const pace = node.req.complete || exchange.awaitsContinue ? undefined : this.#options.pace;
      if (large === undefined) send(node, answer, head, method, pace);
      else {
        pace?.discard(node.req);
        this.#deliverLarge(answer, large, head);
      }
    } catch (thrown) {
      this.#cut(thrown);
    }
  }

  #deliverLarge(answer: Answer, body: Buffer, head: string[]): void {
    const sent = sendLarge(this.exchange.node, answer, body, head, (pieces) =>
      this.#options.slices.run(clientOfSocket(this.#socket), pieces),
    );
    sent.catch((thrown: unknown) => this.#cut(thrown));
  }

  /** Closes the connection of a request that cannot be answered. */
  #cut(thrown: unknown): void {
    const { id, node } = this.exchange;
    this.#options.log.error({ id, err: thrown }, 'answer not sent');
    node.res.destroy();
  }
}

/** Generates request ids: a random name of the process, and a counter. */
function createRequestIds(): () => string {
  const processId = randomBytes(6).toString('base64url');
  let requests = 0;
  return () => {
    requests++;
    return `${processId}-${requests.toString(36)}`;
  };
}
