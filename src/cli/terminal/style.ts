import { createColours } from '../../colours/colours.ts';
import { isTricky, printable } from '../../core/text/shown-text.ts';
import type { Output } from './io.ts';

export type Style = ReturnType<typeof createStyle>;

/**
 * Functions that colour a text for an output, or return it unchanged where the output has no colours. Coloured text passes
 * {@link terminalLine} before it is written.
 */
export function createStyle(env: Readonly<Record<string, string | undefined>>, output: Output) {
  const colours = createColours(env, output.isTTY);
  return {
    bold: markedPainter(colours.bold),
    dim: markedPainter(colours.dim),
    strikethrough: markedPainter(colours.strikethrough),
    red: markedPainter(colours.red),
    green: markedPainter(colours.green),
    yellow: markedPainter(colours.yellow),
    cyan: markedPainter(colours.cyan),
  };
}

/** Colours the state of a user or an entity: `inactive` is easy to see. */
export function paintStatus(
  style: Style,
): (text: string, row: { status: 'active' | 'inactive' }) => string {
  return (text, { status }) => (status === 'inactive' ? style.yellow(text) : text);
}

/** Whether the terminal can move its cursor, as the panel, the settings page and the progress bar need. */
export function canDraw(
  env: Readonly<Record<string, string | undefined>>,
  output: Output,
): boolean {
  return output.isTTY && env.TERM !== 'dumb' && env.TERM !== undefined;
}

/**
 * A random number of this process. Text from a store, a backup or a file cannot contain it, so that only the program's own
 * colours reach the terminal.
 */
const colourNonce = String(Math.trunc(Math.random() * 1e9));
const markPattern = new RegExp(`\\u001b\\[((?:\\d+;)*\\d+);${colourNonce}m`);

/** A painter whose escape sequences are marks, which {@link terminalLine} converts back; without colours it has none. */
function markedPainter(paint: (text: string) => string): (text: string) => string {
  const sequences = paint('|').split('|');
  const [startMark = '', endMark = ''] = sequences.map(withNonce);
  return (text) => startMark + text + endMark;
}

/** Escape sequences of colours (ECMA-48, SGR) as marks. */
function withNonce(sequences: string): string {
  return sequences.replaceAll('m', `;${colourNonce}m`);
}

/** A text as a terminal will show it, with colours still as marks and deceptive characters as their numbers. */
export function visibleText(text: string): string {
  return mapTextParts(text, (code) => withNonce(`\u001b[${code}m`));
}

export function colourless(text: string): string {
  return mapTextParts(text, () => '');
}

/** A line for the terminal: escapes deceptive characters of stored or given text and converts colour marks. */
export function terminalLine(text: string): string {
  return mapTextParts(text, (code) => `\u001b[${code}m`);
}

function mapTextParts(text: string, convertCode: (code: string) => string): string {
  if (!isTricky(text)) return text;

  // A split by a pattern with a group returns texts and codes alternately.
  const parts = text.split(markPattern);
  const converted = parts.map((part, index) => {
    const isText = index % 2 === 0;
    return isText ? printable(part) : convertCode(part ?? '');
  });
  return converted.join('');
}
