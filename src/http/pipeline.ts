import { randomBytes } from 'node:crypto';
import type { H3Event } from 'h3';
import type { MaybePromise } from '../core/port/maybe-promise.ts';
import type { Answer } from './answers/answer.ts';
import { ApiError, shuttingDown, toProblem } from './answers/problem.ts';
import type { AddressBook } from './auth/client-addresses.ts';
import type { RequestBatches, Work } from './fairness/batches.ts';
import type { BodyPace } from './fairness/body-pace.ts';
import type { Slices } from './fairness/slices.ts';
import type { Log } from './monitoring/log.ts';
import type { Metrics, RouteCounts } from './monitoring/metrics.ts';
import { clientOfSocket } from './net/connections/table.ts';
import type { Cors } from './request/cors.ts';
import { Exchange } from './request/exchange.ts';
import type { Memory } from './request/memory.ts';
import { preconditionFault } from './request/representation.ts';
import {
  createHeadWriter,
  headersOf,
  largeBody,
  send,
  sendLarge,
  type WriteHead,
} from './request/response.ts';

/** Answers a request; an error that it throws, rejects with or returns becomes a problem document. */
export type Handler = (exchange: Exchange) => MaybePromise<Answer | ApiError>;

/** The services that every request needs. */
export interface CallOptions {
  batches: RequestBatches;
  memory: Memory;
  addresses: AddressBook;
  metrics: Metrics;
  cors: Cors;
  /** Drops bodies that are still coming when their requests are answered. */
  pace: BodyPace;
  /** Sends large answers. */
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

/** The steps of a request before its handler, in this order. A step throws to refuse the request. */
const stepsBeforeHandlers: readonly ((exchange: Exchange, services: CallServices) => void)[] = [
  requireStoreInPlace,
  requireServing,
  readForwardedAddress,
  addCorsHeaders,
];

function requireStoreInPlace(exchange: Exchange, { storeRefusal }: CallServices): void {
  const refusal = storeRefusal?.(exchange.startedAt);
  if (refusal !== undefined) throw refusal;
}

function requireServing(_exchange: Exchange, services: CallServices): void {
  if (services.isStopping?.() && !services.answersWhileStopping) throw shuttingDown;
}

function readForwardedAddress(exchange: Exchange, { addresses }: CallServices): void {
  addresses.readForwarded(exchange);
}

function addCorsHeaders(exchange: Exchange, { cors }: CallServices): void {
  if (cors.isOn) cors.addHeaders(exchange);
}

/**
 * Builds the pipeline of a route: run its handler in a request batch, count and log the answer or problem, send it through
 * Node's server. h3 receives nothing.
 */
export function createCalls(options: CallOptions) {
  const services = { ...options, writeHead: createHeadWriter(options.commonHeaders) };
  const processId = randomBytes(6).toString('base64url');
  let requestCount = 0;
  return (route: string, handler: Handler): ((event: H3Event) => undefined) => {
    const counts = services.metrics.route(route);
    const routeServices =
      route === '/healthz' ? { ...services, storeRefusal: undefined } : services;
    return (event) => {
      requestCount++;
      const requestId = `${processId}-${requestCount.toString(36)}`;
      services.batches.join(new Call(event, requestId, routeServices, counts, handler));
      return undefined;
    };
  };
}

type CallServices = CallOptions & { writeHead: WriteHead };

class Call extends Exchange implements Work {
  readonly client: unknown;
  readonly #services: CallServices;
  readonly #counts: RouteCounts;
  readonly #handler: Handler;

  constructor(
    event: H3Event,
    id: string,
    services: CallServices,
    counts: RouteCounts,
    handler: Handler,
  ) {
    super(event, id);
    this.#services = services;
    this.#counts = counts;
    this.#handler = handler;
    this.client = clientOfSocket(this.node.req.socket);
  }

  /** A request that a client has sent counts, also if it did not wait for the answer. */
  get isGone(): boolean {
    return this.node.req.socket.destroyed && this.method !== 'POST';
  }

  run(): void {
    const { storeRefusal } = this.#services;
    try {
      for (const step of stepsBeforeHandlers) step(this, this.#services);

      const outcome = this.#handler(this);
      if (!(outcome instanceof Promise)) this.#respond(outcome);
      else {
        outcome
          // The store may have been replaced while the body arrived or the disk was written.
          .then((answer) => this.#respond(storeRefusal?.(performance.now()) ?? answer))
          .catch((thrown: unknown) => this.#fail(thrown));
      }
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Throws `too_many_requests` if the answer does not fit into the shared memory. */
  #respond(outcome: Answer | ApiError): void {
    if (outcome instanceof ApiError) this.#fail(outcome);
    else {
      const fault = preconditionFault(this, outcome);
      if (fault === undefined) this.#finish(outcome);
      else this.#fail(fault);
    }
  }

  #fail(thrown: unknown): void {
    const { metrics, log, warnUnavailable } = this.#services;
    try {
      const problem = toProblem(thrown, this.id);
      metrics.countRefusal(problem.code);
      this.code = problem.code;
      if (problem.code === 'internal') log.error({ id: this.id, err: thrown }, 'internal error');
      else if (problem.code === 'unavailable') warnUnavailable(this.id, thrown);
      this.#finish(problem);
    } catch (worse) {
      this.#cut(worse);
    }
  }

  #finish(answer: Answer): void {
    const { batches, memory, isStopping, log } = this.#services;
    memory.reserveAnswer(this, answer);
    const headers = headersOf(this, answer);
    // A client that kept the connection open would send its next request while the daemon closes it.
    // A client that waits for 100 (Continue) may send its body all the same, or not.
    if (isStopping?.() || this.awaitsContinue) headers.push('Connection', 'close');

    const ms = performance.now() - this.startedAt;
    this.#counts.observe(answer.status, ms / 1000);
    this.tally?.countRequest(this.code);
    log.request(this, answer.status, ms);
    batches.send(() => this.#deliver(answer, headers));
  }

  #deliver(answer: Answer, headers: string[]): void {
    const { node, method } = this;
    const { slices, writeHead } = this.#services;
    if (node.res.destroyed || node.res.headersSent) return;
    const pace = node.req.complete || this.awaitsContinue ? undefined : this.#services.pace;
    try {
      writeHead(node.res, answer, headers);
      const large = largeBody(answer, method);
      if (large === undefined) send(node, answer, method, pace);
      else {
        pace?.discard(node.req);
        sendLarge(node, large, (pieces) =>
          slices.run(clientOfSocket(node.req.socket), pieces),
        ).catch((thrown: unknown) => this.#cut(thrown));
      }
    } catch (thrown) {
      this.#cut(thrown);
    }
  }

  /** Closes the connection of a request that cannot be answered. */
  #cut(thrown: unknown): void {
    this.#services.log.error({ id: this.id, err: thrown }, 'answer not sent');
    this.node.res.destroy();
  }
}
