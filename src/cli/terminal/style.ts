import { colourCodes } from '../../core/terminal.ts';
import { isTricky, printable } from '../../core/text/shown-text.ts';
import type { Output } from './io.ts';

export type Style = ReturnType<typeof createStyle>;

/**
 * Functions that colour a text for an output, or return it unchanged: off a terminal, with `NO_COLOR` or with `TERM=dumb`;
 * `FORCE_COLOR` overrides all three, as in Node. Coloured text passes `terminalLine` before it is written. No library does this,
 * since loading one costs a short command a tenth of its time.
 */
export function createStyle(env: Readonly<Record<string, string | undefined>>, output: Output) {
  const painted = hasColours(env, output);
  const paint = (on: string, off: string) =>
    painted
      ? (text: string) => `${colourMark(on)}${text}${colourMark(off)}`
      : (text: string) => text;
  const { red, green, yellow, cyan } = colourCodes(env);
  // Codes to switch on and off (ECMA-48, SGR).
  return {
    bold: paint('1', '22'),
    dim: paint('2', '22'),
    strikethrough: paint('9', '29'),
    red: paint(red, '39'),
    green: paint(green, '39'),
    yellow: paint(yellow, '39'),
    cyan: paint(cyan, '39'),
  };
}

/** Colours the state of a user or an entity: an inactive one is easy to see. */
export function paintStatus(
  style: Style,
): (text: string, row: { status: 'active' | 'inactive' }) => string {
  return (text, { status }) => (status === 'inactive' ? style.yellow(text) : text);
}

function hasColours(env: Readonly<Record<string, string | undefined>>, output: Output): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return !no && term !== 'dumb' && output.isTTY;
}

/** Whether the terminal can move its cursor, as the panel, the settings page and the progress bar need. */
export function canDraw(
  env: Readonly<Record<string, string | undefined>>,
  output: Output,
): boolean {
  return output.isTTY && env.TERM !== 'dumb' && env.TERM !== undefined;
}

/**
 * A random number of this run. Text from a store, a backup or a file cannot contain it, so that only the program's own
 * colours reach the terminal.
 */
const run = String(Math.trunc(Math.random() * 1e9));
const marks = new RegExp(`\\u001b\\[((?:\\d+;)*\\d+);${run}m`);

/** A colour (ECMA-48, SGR) as a mark, which {@link terminalLine} converts to the escape sequence. */
export function colourMark(code: string): string {
  return `\u001b[${code};${run}m`;
}

/** A text as a terminal will show it, with colours still as marks and deceptive characters as their numbers. */
export function visibleText(text: string): string {
  return mapParts(text, colourMark);
}

export function colourless(text: string): string {
  return mapParts(text, () => '');
}

/** One line for the terminal: escapes deceptive characters of stored or given text and converts colour marks. */
export function terminalLine(text: string): string {
  return mapParts(text, (code) => `\u001b[${code}m`);
}

function mapParts(text: string, colour: (code: string) => string): string {
  if (!isTricky(text)) return text;
  // A split by a pattern with a group returns texts and codes alternately.
  return text
    .split(marks)
    .map((part, i) => (i % 2 === 0 ? printable(part) : colour(part ?? '')))
    .join('');
}
