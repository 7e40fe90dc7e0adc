import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type ColourCodes, colourCodes, isJournalStream } from '../../core/terminal.ts';
import { printable } from '../../core/text/shown-text.ts';
import type { Exchange } from '../request/exchange.ts';
import { requestFacts, requestLine } from './request-line.ts';

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
      const { method, url, more } = requestFacts(exchange);
      const isComplete = status < 400 && exchange.rejected === undefined;
      const shown = paint(status >= 500 ? 'red' : isComplete ? 'green' : 'yellow', String(status));
      return `${clock()} ${shown} ${method} ${printable(url)} ${ms.toFixed(1)} ms${more.map(pair).join('')}\n`;
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
