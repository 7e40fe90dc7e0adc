import { redactSecrets } from '../../core/secrets.ts';
import { cutText } from '../../core/text/bounded-text.ts';
import { createInstantText } from '../../core/time/instants.ts';
import type { Exchange } from '../request/exchange.ts';

export function requestLine(exchange: Exchange, status: number, ms: number): string {
  const { id, method, keyPrefix, code, rejected, peer } = exchange;
  const shown = shownUrl(exchange);
  const url = plain.test(shown) ? `"${shown}"` : JSON.stringify(shown);
  const key = keyPrefix === undefined ? '' : `,"key":"${keyPrefix}"`;
  const lost = rejected === undefined ? '' : `,"rejected":${JSON.stringify(rejected)}`;
  const why = code === undefined ? lost : `,"code":"${code}"`;
  const from = peer === undefined ? '' : `,"peer":"${peer}"`;
  const what = `"id":"${id}","method":"${method}","url":${url},"status":${status},"ms":${millis(ms)}`;
  return `{"level":"info","time":"${timeText(Date.now())}",${what}${why}${key}${from},"msg":"request"}\n`;
}

/** What a line for people shows of a request: its method, its URL, and whose it was. */
export function requestFacts(exchange: Exchange) {
  const { method, keyPrefix, code, rejected, peer } = exchange;
  const more = Object.entries({ code, rejected, key: keyPrefix, peer }).filter(([, value]) => value !== undefined);
  return { method, url: shownUrl(exchange), more };
}

export const timeText = createInstantText();

/** Formats a time with three decimals from whole numbers, which is quicker than `toFixed`. */
function millis(ms: number): string {
  const us = Math.round(ms * 1000);
  const rest = us % 1000;
  return `${(us - rest) / 1000}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`;
}

/** The rest of a longer URL is of no use to an operator, and costs time and disk space. */
const longestUrl = 2048;
/** The same of a client without a key, who may send anything. */
const longestUnkeyedUrl = 256;

/** Characters that JSON does not escape. */
const plain = /^[\w/?&=.,:%~*+-]*$/;

function shownUrl({ path, query, keyPrefix }: Exchange): string {
  const url = query === '' ? path : `${path}?${query}`;
  return redactSecrets(cutText(url, keyPrefix === undefined ? longestUnkeyedUrl : longestUrl));
}
