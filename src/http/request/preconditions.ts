import type { Answer } from '../answers/answer.ts';
import { ApiError } from '../answers/problem.ts';
import type { Exchange } from './exchange.ts';

/**
 * The error `bad_parameter` if `If-Match` names no strong validator of the answer (RFC 9110, section 13.1.1; the API has
 * no 412). `If-Unmodified-Since` is ignored, since nothing here has a date of modification (section 13.1.4).
 */
export function preconditionFault(exchange: Exchange, answer: Answer): ApiError | undefined {
  const wanted = exchange.header('if-match');
  if (wanted === undefined || answer.status >= 400 || wanted.trim() === '*') return undefined;
  const etag = answer.headers[answer.headers.indexOf('ETag') + 1];
  const isStrong = answer.headers.includes('ETag') && etag?.startsWith('"');
  return isStrong && wanted.match(/(?:W\/)?"[^"]*"/g)?.includes(etag ?? '') ? undefined : changed;
}

/** Throws `bad_parameter` for any `If-Match` of a request that writes: its path has no representation to match. */
export function requireNoPrecondition(exchange: Exchange): void {
  if (exchange.header('if-match') !== undefined) throw unreadable;
}

const changed = new ApiError('bad_parameter', 'If-Match names no ETag of this answer. Read it without If-Match.');
const unreadable = new ApiError(
  'bad_parameter',
  'If-Match cannot match here: this path has nothing to read. Send the request without it.',
);
