import { isTricky, printable } from '../../core/text/shown-text.ts';

/**
 * Of this run alone: a text that somebody wrote into a store, a backup or a file cannot know it, so that only the program's
 * own colours reach the terminal.
 */
const run = String(Math.trunc(Math.random() * 1e9));
const marks = new RegExp(`\\u001b\\[(\\d+);${run}m`);

/** A colour (ECMA-48, SGR) as it stands in a text of this program, until {@link terminalLine} makes it one. */
export function colourMark(code: number): string {
  return `\u001b[${code};${run}m`;
}

/** A text as a terminal will show it, its colours still marks: what would play tricks is written as its number. */
export function visibleText(text: string): string {
  if (!isTricky(text)) return text;
  return mapParts(text, colourMark);
}

/** A text without its colours. */
export function colourless(text: string): string {
  return mapParts(text, () => '');
}

/** One line for the terminal: every text that was stored or given is made safe here, whatever printed it. */
export function terminalLine(text: string): string {
  if (!isTricky(text)) return text;
  return mapParts(text, (code) => `\u001b[${code}m`);
}

function mapParts(text: string, colour: (code: number) => string): string {
  // A split by a pattern with a group gives texts and codes in turn.
  return text
    .split(marks)
    .map((part, i) => (i % 2 === 0 ? printable(part) : colour(Number(part))))
    .join('');
}
