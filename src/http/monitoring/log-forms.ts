import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type Colours, createColours } from '../../colours/colours.ts';
import { isJournalStream } from '../../core/files/descriptors.ts';
import type { LogLevel } from '../../core/operations/settings.ts';
import { redactSecrets } from '../../core/secrets.ts';
import { cutText, printable } from '../../core/text/shown-text.ts';
import { createInstantText } from '../../core/time/instants.ts';
import type { Exchange } from '../request/exchange.ts';

export type Level = Exclude<LogLevel, 'silent'>;

type Facts = Readonly<Record<string, unknown>>;
export type ErrorFacts = Facts & { message: string; stack?: string };

export interface LogForm {
  /** The line of an answered request; it is made for every request. */
  request(exchange: Exchange, status: number, ms: number): string;
  line(level: Level, message: string, facts: Facts, err?: ErrorFacts): string;
}

export const jsonLines: LogForm = {
  request: requestLine,
  line: (level, msg, facts, err) =>
    `${JSON.stringify({ level, time: timeText(Date.now()), ...facts, err, msg })}\n`,
};

/**
 * JSON for the journal of systemd, each line after its priority (sd-daemon(3)), by which `journalctl -p` selects. The
 * journal removes it again.
 */
export const journalLines: LogForm = {
  request: (exchange, status, ms) => `<6>${requestLine(exchange, status, ms)}`,
  line: (level, ...line) => `<${priorities[level]}>${jsonLines.line(level, ...line)}`,
};

/** Breaks a line for the width of a terminal, which by itself breaks it inside a word. */
type WrapLine = (line: string) => string;

/** Lines for people at a terminal. */
export function terminalLines(paint: Colours, wrap: WrapLine = (line) => line): LogForm {
  return {
    request(exchange, status, ms) {
      const { method, code, rejected, keyPrefix, forwardedFor: client, peer } = exchange;
      const isComplete = status < 400 && rejected === undefined;
      const statusText = paint[statusColour(status, isComplete)](String(status));
      const requestText = `${method} ${printable(shownUrl(exchange))} ${ms.toFixed(1)} ms`;
      const factPairs = pairs({ code, rejected, key: keyPrefix, client, peer });
      return `${wrap(`${timeOfDay()} ${statusText} ${requestText}${factPairs}`)}\n`;
    },
    line(level, message, facts, err) {
      const levelText = paint[levelColours[level] ?? 'green'](level.padEnd(5));
      const showsStack = level === 'error' || level === 'fatal';
      const factPairs = pairs({ ...facts, error: err?.message });
      const terminalLine = wrap(`${timeOfDay()} ${levelText} ${printable(message)}${factPairs}`);
      return `${terminalLine}\n${showsStack ? stackOf(err) : ''}`;
    },
  };
}

function statusColour(status: number, isComplete: boolean): 'red' | 'green' | 'yellow' {
  if (status >= 500) return 'red';
  return isComplete ? 'green' : 'yellow';
}

/** The form for a descriptor: that of the journal if it leads there, lines for people on a terminal, else JSON. */
export function logFormOf(
  fd: number,
  env: Readonly<Record<string, string | undefined>>,
  wrap?: WrapLine,
): LogForm {
  if (isJournalStream(env.JOURNAL_STREAM, fstatSync(fd))) return journalLines;
  return isatty(fd) ? terminalLines(createColours(env, true), wrap) : jsonLines;
}

const priorities: Readonly<Record<Level, number>> = {
  fatal: 2,
  error: 3,
  warn: 4,
  info: 6,
  debug: 7,
};

const levelColours: Partial<Record<Level, keyof Colours>> = {
  fatal: 'red',
  error: 'red',
  warn: 'yellow',
};

/** The time of day of the machine. */
function timeOfDay(): string {
  return new Date().toTimeString().slice(0, 8);
}

function pairs(facts: Facts): string {
  const factTexts = Object.entries(facts).map(([name, value]) => {
    const valueText = typeof value === 'string' ? value : JSON.stringify(value);
    return valueText === undefined ? '' : `  ${name}=${printable(valueText)}`;
  });
  return factTexts.join('');
}

/** The source of an unexpected error, indented. */
function stackOf(err: ErrorFacts | undefined): string {
  const [, ...calls] = err?.stack?.split('\n') ?? [];
  return calls.map((line) => `    ${printable(line.trim())}\n`).join('');
}

// --- the line of a request as JSON, which is written for every one

export function requestLine(exchange: Exchange, status: number, ms: number): string {
  const { id, method, keyPrefix, code, rejected, forwardedFor, peer } = exchange;
  const url = shownUrl(exchange);
  const urlJson = needsNoEscape.test(url) ? `"${url}"` : JSON.stringify(url);
  const keyMember = keyPrefix === undefined ? '' : `,"key":"${keyPrefix}"`;
  const rejectedMember = rejected === undefined ? '' : `,"rejected":${JSON.stringify(rejected)}`;
  const outcomeMember = code === undefined ? rejectedMember : `,"code":"${code}"`;
  const clientMember = forwardedFor === undefined ? '' : `,"client":"${forwardedFor}"`;
  const addressMembers = peer === undefined ? clientMember : `${clientMember},"peer":"${peer}"`;
  const requestMembers = `"id":"${id}","method":"${method}","url":${urlJson},"status":${status},"ms":${millis(ms)}`;

  return `{"level":"info","time":"${timeText(Date.now())}",${requestMembers}${outcomeMember}${keyMember}${addressMembers},"msg":"request"}\n`;
}

const timeText = createInstantText();

/** Formats a time with three decimals. */
function millis(ms: number): string {
  const us = Math.round(ms * 1000);
  const fraction = us % 1000;
  return `${(us - fraction) / 1000}.${leadingZeros(fraction)}${fraction}`;
}

function leadingZeros(thousandths: number): string {
  if (thousandths < 10) return '00';
  return thousandths < 100 ? '0' : '';
}

/** The rest of a longer URL is of no use to an operator. */
const longestUrl = 2048;
/** The same for a client without a key, who may send anything. */
const longestUnkeyedUrl = 256;

/** Characters that JSON does not escape. */
const needsNoEscape = /^[\w/?&=.,:%~*+-]*$/;

function shownUrl({ path, query, keyPrefix }: Exchange): string {
  const url = query === '' ? path : `${path}?${query}`;
  return redactSecrets(cutText(url, keyPrefix === undefined ? longestUnkeyedUrl : longestUrl));
}
