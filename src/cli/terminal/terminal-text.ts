import { isTricky, printable } from '../../core/text/shown-text.ts';

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
