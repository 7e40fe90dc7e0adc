import type { Exchange } from './exchange.ts';
import { ApiError } from './problem.ts';
import type { Answer } from './response.ts';

/**
 * Why an answer may not go out: `If-Match` names none of its strong validators (RFC 9110, section 13.1.1, which leaves the
 * status open; the API has no 412, so that it is `bad_parameter`). `If-Unmodified-Since` counts for nothing, since nothing
 * here has a date of modification (section 13.1.4).
 */
export function preconditionFault(exchange: Exchange, answer: Answer): ApiError | undefined {
  const wanted = exchange.header('if-match');
  if (wanted === undefined || answer.status >= 400 || wanted.trim() === '*') return undefined;
  const etag = answer.headers[answer.headers.indexOf('ETag') + 1];
  const isStrong = answer.headers.includes('ETag') && etag?.startsWith('"');
  return isStrong && wanted.match(/(?:W\/)?"[^"]*"/g)?.includes(etag ?? '') ? undefined : changed;
}

/** Refuses any `If-Match` of a request that writes: nothing can be read at its path, so that it names nothing. */
export function requireNoPrecondition(exchange: Exchange): void {
  if (exchange.header('if-match') !== undefined) throw unreadable;
}

const changed = new ApiError('bad_parameter', 'If-Match names no ETag that this answer has. Read it without If-Match.');
const unreadable = new ApiError('bad_parameter', 'If-Match cannot be met here: nothing can be read at this path.');
