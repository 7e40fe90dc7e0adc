import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Answer } from '../answers/answer.ts';

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

/** A response with the text of its head that is not sent yet, which Node's types do not have. */
type WithHead = ServerResponse & { _header?: unknown };

export type WriteHead = ReturnType<typeof createHeads>;

/** The date of a head is at most so late. */
const endLastsMs = 100;

/**
 * Builds the writer of heads, to each of which it adds `common`; the last of its `headers` is `Content-Length` if the answer has a
 * body, and `nowMs` is a time of `performance.now()`. Node's `writeHead` searches every name and value for what must
 * not be in them and for what it must know, which takes a tenth of the time of a small answer; here, all are ours. So it writes
 * one head in {@link endLastsMs}. The others end with what it appended to that one (date and persistence of the connection),
 * and are put where it keeps its own. A version of Node that keeps heads elsewhere says that there is none, and writes all.
 */
export function createHeads(common: readonly string[]) {
  const fixed = { api: [...apiHeaders, ...common], page: common };
  const fixedText = { api: linesOf(fixed.api), page: linesOf(fixed.page) };
  let end = '';
  let endIsGoodUntilMs = 0;
  return (
    res: ServerResponse,
    { status, page }: Pick<Answer, 'status' | 'page'>,
    headers: readonly string[],
    nowMs: number,
  ): void => {
    const kind = page ? 'page' : 'api';
    const reason = STATUS_CODES[status] ?? 'Unknown';
    const kept: WithHead = res;
    // One without a body, or after which the connection closes, has another end.
    const isUsual = res.shouldKeepAlive && headers.at(-2) === 'Content-Length';
    const head = isUsual
      ? `HTTP/1.1 ${status} ${reason}\r\n${linesOf(headers)}${fixedText[kind]}`
      : '';
    if (isUsual && nowMs < endIsGoodUntilMs) {
      res.statusCode = status;
      kept._header = head + end;
      if (res.headersSent) return;
    }
    res.writeHead(status, reason, [...headers, ...fixed[kind]]);
    if (!isUsual || typeof kept._header !== 'string' || !kept._header.startsWith(head)) return;
    end = kept._header.slice(head.length);
    endIsGoodUntilMs = nowMs + endLastsMs;
  };
}

function linesOf(headers: readonly string[]): string {
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}
