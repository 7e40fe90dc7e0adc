import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Answer } from '../answers/answer.ts';
import type { BodyPace } from '../fairness/body-pace.ts';
import type { SliceSteps } from '../fairness/slices.ts';
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
];

export type WriteHead = ReturnType<typeof createHeadWriter>;

/** Builds the function that writes the head of an answer, to which it adds `commonHeaders` and those of the API or of a page. */
export function createHeadWriter(commonHeaders: readonly string[]) {
  const headersOfApi = [...apiHeaders, ...commonHeaders];
  return (
    res: ServerResponse,
    { status, page }: Pick<Answer, 'status' | 'page'>,
    headers: readonly string[],
  ): void => {
    const allHeaders = [...headers, ...(page ? commonHeaders : headersOfApi)];
    res.writeHead(status, STATUS_CODES[status] ?? 'Unknown', allHeaders);
  };
}

/** Headers that differ from answer to answer, in sending order; they are appended to those of the exchange. */
export function headersOf(exchange: Exchange, answer: Answer): string[] {
  const { status, headers } = answer;
  const allHeaders = exchange.responseHeaders;
  for (const headerPart of headers) allHeaders.push(headerPart);
  allHeaders.push('X-Request-Id', exchange.id);
  // 304 and 204 have no body, and the length of the full answer is not known.
  if (status !== 304 && status !== 204)
    allHeaders.push('Content-Length', String(answer.length ?? lengthOf(answer)));
  return allHeaders;
}

/**
 * Sends an answer, whose head is written, through Node's server directly. With `pace` it ends only with the body of its request.
 */
export function send(
  { req, res }: Exchange['node'],
  answer: Answer,
  method: string,
  pace: BodyPace | undefined,
): void {
  const body = answer.body === null || method === 'HEAD' ? '' : answer.body;
  const encoding = answer.isAscii ? 'latin1' : 'utf8';
  if (pace) endWithBody(pace, req, res, body, encoding);
  else {
    if (body.length > 0) {
      res.write(body, encoding);
      // Else Node would send head and body as two pieces.
      res.socket?.uncork();
    }
    res.end();
  }
}

/**
 * Sends a large answer, whose head is written, in pieces, which `runInSlices` schedules. The next piece follows only once the connection has taken the last one, since Node would encrypt all
 * waiting pieces in one go.
 */
export async function sendLarge(
  { res }: Exchange['node'],
  body: Buffer,
  runInSlices: (pieces: SliceSteps<Progress>) => MaybePromise<Progress>,
): Promise<void> {
  const transfer = { body, sent: 0 };
  while ((await runInSlices(sendSome(res, transfer))) === 'full') await drained(res);
}

/** Sends pieces until the connection takes no more. */
function* sendSome(
  res: ServerResponse,
  transfer: { body: Buffer; sent: number },
): SliceSteps<Progress> {
  // The client may have left meanwhile.
  while (!res.destroyed) {
    const piece = transfer.body.subarray(transfer.sent, transfer.sent + pieceBytes);
    transfer.sent += piece.length;
    const unsent = transfer.body.length - transfer.sent;
    const connection = res.socket && connectionOf(res.socket);
    if (connection) connection.unsent = unsent;
    if (unsent === 0) {
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

/** Whether the connection is full, or nothing is left to send. */
type Progress = 'full' | 'done';

function drained(res: ServerResponse): Promise<void> | undefined {
  // The connection may have taken all bytes meanwhile.
  if (!res.writableNeedDrain) return undefined;
  return new Promise((resolve) => {
    const resume = (): void => {
      res.off('drain', resume).off('close', resume);
      resolve();
    };
    res.on('drain', resume).on('close', resume);
  });
}

/** The body of an answer that is sent in pieces. */
export function largeBody({ body }: Answer, method: string): Buffer | undefined {
  if (body === null || method === 'HEAD' || body.length <= maxWholeBytes) return undefined;
  return typeof body === 'string' ? Buffer.from(body) : body;
}

const maxWholeBytes = 64 * 1024;
const pieceBytes = 256 * 1024;

function lengthOf({ body, isAscii }: Answer): number {
  if (body === null) return 0;
  return typeof body === 'string' && !isAscii ? Buffer.byteLength(body) : body.length;
}
