import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Answer } from '../answers/answer.ts';
import type { BodyPace } from '../fairness/body-pace.ts';
import type { Steps } from '../fairness/slices.ts';
import { connectionOf } from '../net/connections/table.ts';
import { endWithBody } from '../net/lingering.ts';
import type { Exchange } from './exchange.ts';

/** Security headers of every answer that is not a page: browsers must not run, frame or embed it. */
const apiHeaders = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Resource-Policy',
  'same-origin',
] as const;

/** All headers of an answer in their final order; they are appended to those of the exchange. */
export function headOf(exchange: Exchange, answer: Answer, common: readonly string[]): string[] {
  const { status, headers, page } = answer;
  // Appending to one list is faster than concatenating several.
  const head = exchange.responseHeaders;
  for (const text of headers) head.push(text);
  if (!page) for (const text of apiHeaders) head.push(text);
  for (const text of common) head.push(text);
  head.push('X-Request-Id', exchange.id);
  // 304 and 204 have no body, and the length of the full answer is not known.
  if (status !== 304 && status !== 204) head.push('Content-Length', String(answer.length ?? lengthOf(answer)));
  return head;
}

/**
 * Sends an answer through Node's server directly: a Response object would halve the requests per second. With `pace` it
 * ends only with the body of its request.
 */
export function send(
  { req, res }: Exchange['node'],
  answer: Answer,
  head: string[],
  method: string,
  pace: BodyPace | undefined,
): void {
  if (res.destroyed || res.headersSent) return;
  // HTTP/1.1 allows an empty reason phrase, but some clients and gateways treat it as an error.
  res.writeHead(answer.status, STATUS_CODES[answer.status] ?? 'Unknown', head);
  const body = answer.body === null || method === 'HEAD' ? '' : answer.body;
  const encoding = answer.isAscii ? 'latin1' : 'utf8';
  if (pace) endWithBody(pace, req, res, body, encoding);
  else {
    if (body.length > 0) {
      res.write(body, encoding);
      // Node would keep head and body until the end, and send them as two pieces, which costs a twentieth of a small answer.
      res.socket?.uncork();
    }
    res.end();
  }
}

/**
 * Sends a large answer in pieces, which `run` runs in slices: a MiB takes a millisecond to copy, and several to encrypt. It
 * continues only once the connection has taken what it has, since Node would encrypt all that waits in one go.
 */
export async function sendLarge(
  { res }: Exchange['node'],
  answer: Answer,
  body: Buffer,
  head: string[],
  run: (pieces: Steps<Progress>) => MaybePromise<Progress>,
): Promise<void> {
  if (res.destroyed || res.headersSent) return;
  res.writeHead(answer.status, STATUS_CODES[answer.status] ?? 'Unknown', head);
  let from = 0;
  function* sendSome(): Steps<Progress> {
    // The client may have left meanwhile.
    while (!res.destroyed) {
      const piece = body.subarray(from, from + pieceBytes);
      from += piece.length;
      const connection = res.socket && connectionOf(res.socket);
      if (connection) connection.unsent = body.length - from;
      if (from === body.length) {
        res.end(piece);
        return 'done';
      }
      const takesMore = res.write(piece);
      // Node would keep the piece until the slice is over, and encrypt it then.
      res.socket?.uncork();
      if (!takesMore) return 'full';
      yield;
    }
    return 'done';
  }
  while ((await run(sendSome())) === 'full') await drained(res);
}

/** Whether the connection is full, or nothing is left to send. */
type Progress = 'full' | 'done';

function drained(res: ServerResponse): Promise<void> | undefined {
  // The connection may have taken all meanwhile.
  if (!res.writableNeedDrain) return undefined;
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });
}

/** The body of an answer that is sent in pieces. */
export function largeBody({ body }: Answer, method: string): Buffer | undefined {
  if (body === null || method === 'HEAD' || body.length <= largeBytes) return undefined;
  return typeof body === 'string' ? Buffer.from(body) : body;
}

const largeBytes = 64 * 1024;
const pieceBytes = 256 * 1024;

function lengthOf({ body, isAscii }: Answer): number {
  if (body === null) return 0;
  return typeof body === 'string' && !isAscii ? Buffer.byteLength(body) : body.length;
}
