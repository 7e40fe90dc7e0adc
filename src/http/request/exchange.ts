import type { IncomingMessage, ServerResponse } from 'node:http';
import type { H3Event } from 'h3';
import { HkctlError } from '../../core/errors.ts';
import { type QueryParameters, requireKnown } from '../../core/records/parameters.ts';
import type { Reservation } from '../fairness/budget.ts';
import type { DayTally } from './key-tally.ts';

/**
 * A request as the handlers see it, and the state that it collects on the way to its answer. No URL or Headers object is made of it.
 */
export class Exchange {
  /** When it was read, by `performance.now()`. */
  readonly startedAt = performance.now();
  /** Identifies the request in the answer, the log and problem documents. */
  readonly id: string;
  readonly method: string;
  /** Path as requested, without the query. */
  readonly path: string;
  /** The query as sent, without the `?`. */
  readonly query: string;
  /** The remote address of the connection; undefined if it had closed before its request was read. */
  readonly peer: string | undefined;
  /** The client's address, as a trusted proxy reports it; undefined without such a proxy. */
  forwardedFor: string | undefined = undefined;
  readonly node: { readonly req: IncomingMessage; readonly res: ServerResponse };
  /** Headers of its answer, also of a refusal: name, value, name, value … */
  readonly responseHeaders: string[] = [];
  /** The client sends its body only after a 100 (Continue) response, which it has not got yet (RFC 9110, section 10.1.1). */
  awaitsContinue: boolean;
  /** Prefix of the authenticated key, for the log. */
  keyPrefix: string | undefined = undefined;
  /** Counts what the key of the request does, also one that is refused; none if there is no such key. */
  tally: DayTally | undefined = undefined;
  code: string | undefined = undefined;
  /** Rejected readings or heartbeats by code, for the log; undefined if none was. */
  rejected: Record<string, number> | undefined = undefined;
  /** The shared memory that its body and its answer reserve; none if they are small. */
  bodyReservation: Reservation | undefined = undefined;
  answerReservation: Reservation | undefined = undefined;
  readonly #event: H3Event;

  constructor(event: H3Event, id: string) {
    this.#event = event;
    this.id = id;
    const { search, pathname } = event.url;
    this.path = pathname;
    this.query = search === '' ? '' : search.slice(1);
    const node = event.runtime?.node;
    // Every event comes from the listener. h3 types its two as those of http and http2 alike; listhen serves HTTP/1.1 only.
    this.node = { req: node?.req as IncomingMessage, res: node?.res as ServerResponse };
    const { method = 'GET', socket, headers, httpVersionMinor } = this.node.req;
    this.method = method;
    // Read at once: a connection that closes while its request waits has no address any more.
    this.peer = socket.remoteAddress;
    const { expect } = headers;
    this.awaitsContinue =
      expect !== undefined && httpVersionMinor > 0 && expect.toLowerCase().includes('100-continue');
  }

  /** A decoded parameter of the path; undefined if its encoding is invalid. */
  parameter(name: string): string | undefined {
    const rawParameter = this.#event.context.params?.[name];
    if (rawParameter === undefined || !rawParameter.includes('%')) return rawParameter;
    try {
      return decodeURIComponent(rawParameter);
    } catch (thrown) {
      if (thrown instanceof URIError) return undefined;
      throw thrown;
    }
  }

  /** The value of a header, by its name in lower case; several of one name are joined by commas (RFC 9110, section 5.3). */
  header(name: string): string | undefined {
    const headerValue = this.node.req.headers[name];
    return typeof headerValue === 'string' ? headerValue : headerValue?.join(', ');
  }

  countOf(name: string): number {
    // Node keeps only the first of some headers, so the raw ones are counted.
    const rawHeaders = this.node.req.rawHeaders;
    let sameNamed = 0;
    for (let nameIndex = 0; nameIndex < rawHeaders.length; nameIndex += 2) {
      const headerName = rawHeaders[nameIndex];
      if (
        headerName?.length === name.length &&
        (headerName === name || headerName.toLowerCase() === name)
      )
        sameNamed++;
    }
    return sameNamed;
  }
}

/** Calls back once an answer is sent, or its connection has closed. */
export function whenOver({ req, res }: Exchange['node'], callback: () => void): void {
  if (req.socket.destroyed) callback();
  else res.once('close', callback);
}

/** Throws `bad_parameter` if a request has query parameters and its path knows none. */
export function requireNoQuery(query: string): void {
  if (query !== '') requireKnown(parseQuery(query), noParameters);
}

const noParameters = new Map<string, unknown>();

/** Twice as many as any path has. */
const maxParameters = 200;

/**
 * Splits a query into decoded names and values. Throws `bad_parameter` if the encoding is broken, or for more than 200
 * parameters.
 */
export function parseQuery(query: string): QueryParameters {
  if (query === '') return [];
  const parts = query.split('&', maxParameters + 1);
  if (parts.length > maxParameters)
    throw new HkctlError('bad_parameter', `A query has at most ${maxParameters} parameters.`);

  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const equalsIndex = part.indexOf('=');
      if (equalsIndex === -1) return [decode(part), ''];
      return [decode(part.slice(0, equalsIndex)), decode(part.slice(equalsIndex + 1))];
    });
}

/** Sets one parameter of a query and leaves the others unchanged. */
export function withParameter(query: string, name: string, parameterValue: string): string {
  const nameOf = (part: string) => decode(part.split('=', 1)[0] ?? '');
  const otherParts = query.split('&').filter((part) => part !== '' && nameOf(part) !== name);
  return [...otherParts, `${name}=${encodeURIComponent(parameterValue)}`].join('&');
}

function decode(encodedText: string): string {
  try {
    return decodeURIComponent(encodedText.replaceAll('+', ' '));
  } catch (thrown) {
    if (thrown instanceof URIError)
      throw new HkctlError(
        'bad_parameter',
        'The query is not percent-encoded UTF-8: encode every character that is not a letter or digit as %XX.',
      );
    throw thrown;
  }
}
