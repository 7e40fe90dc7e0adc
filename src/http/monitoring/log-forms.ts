import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { redactSecrets } from '../../core/secrets.ts';
import { type ColourCodes, colourCodes, isJournalStream } from '../../core/terminal.ts';
import { cutText, printable } from '../../core/text/shown-text.ts';
import { createInstantText } from '../../core/time/instants.ts';
import type { Exchange } from '../request/exchange.ts';

export interface LogForm {
  /** The line of an answered request. It is made for every one of them, so that it must be quick. */
  request(exchange: Exchange, status: number, ms: number): string;
  line(json: string): string;
}

export const jsonLines: LogForm = { request: requestLine, line: (json) => json };

/**
 * JSON for the journal of systemd, each line after its priority (sd-daemon(3)), by which `journalctl -p` selects. The
 * journal removes it again.
 */
export const journalLines: LogForm = {
  request: (exchange, status, ms) => `<6>${requestLine(exchange, status, ms)}`,
  line: (json) => `<${priorities[levelOf(json)] ?? 6}>${json}`,
};

/** Lines for people at a terminal, without colours if no codes are given. */
export function terminalLines(codes: ColourCodes | undefined): LogForm {
  const paint = (colour: keyof ColourCodes, text: string) =>
    codes ? `\u001b[${codes[colour]}m${text}\u001b[39m` : text;
  return {
    request(exchange, status, ms) {
      const { method, code, rejected, keyPrefix: key, peer } = exchange;
      const more = Object.entries({ code, rejected, key, peer }).filter(([, value]) => value !== undefined);
      const isComplete = status < 400 && rejected === undefined;
      const shown = paint(status >= 500 ? 'red' : isComplete ? 'green' : 'yellow', String(status));
      return `${clock()} ${shown} ${method} ${printable(shownUrl(exchange))} ${ms.toFixed(1)} ms${more.map(pair).join('')}\n`;
    },
    line(json) {
      const { level, time: _, msg, err, ...facts }: Record<string, unknown> = JSON.parse(json);
      const name = String(level);
      const shown = paint(colours[name] ?? 'green', name.padEnd(5));
      const reason: [string, unknown][] = isObject(err) ? [['error', err.message]] : [];
      const pairs = [...Object.entries(facts), ...reason].map(pair).join('');
      return `${clock()} ${shown} ${printable(String(msg ?? ''))}${pairs}\n${stackOf(name, err)}`;
    },
  };
}

/** The form for a descriptor: the journal's if it leads there, that for people at a terminal, else JSON. */
export function logFormOf(fd: number, env: Readonly<Record<string, string | undefined>>): LogForm {
  if (isJournalStream(env.JOURNAL_STREAM, fstatSync(fd))) return journalLines;
  if (isatty(fd)) return terminalLines(env.NO_COLOR || env.TERM === 'dumb' ? undefined : colourCodes(env));
  return jsonLines;
}

const priorities: Readonly<Record<string, number>> = { fatal: 2, error: 3, warn: 4, info: 6, debug: 7 };

const colours: Readonly<Record<string, keyof ColourCodes>> = { fatal: 'red', error: 'red', warn: 'yellow' };

const levelStart = '{"level":"'.length;

/** The level of a line, which is always its first member. */
function levelOf(json: string): string {
  return json.slice(levelStart, json.indexOf('"', levelStart));
}

/** The time of day of the machine. */
function clock(): string {
  return new Date().toTimeString().slice(0, 8);
}

function pair([name, value]: readonly [string, unknown]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `  ${name}=${printable(text ?? '')}`;
}

/** Where an unexpected error came from, indented. */
function stackOf(level: string, err: unknown): string {
  if (!['error', 'fatal'].includes(level) || !isObject(err) || typeof err.stack !== 'string') return '';
  return err.stack
    .split('\n')
    .slice(1)
    .map((line) => `    ${printable(line.trim())}\n`)
    .join('');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

// --- the line of a request as JSON, which is written for every one

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
