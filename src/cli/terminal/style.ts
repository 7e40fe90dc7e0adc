import { colourCodes } from '../../core/terminal.ts';
import type { Output } from './io.ts';
import { colourMark } from './terminal-text.ts';

/** Functions that colour a text; each returns the text unchanged if colours are off. */
export type Style = Record<
  'bold' | 'dim' | 'strikethrough' | 'red' | 'green' | 'yellow' | 'cyan',
  (text: string) => string
>;

/**
 * Colours for an output: none off a terminal, with `NO_COLOR` or with `TERM=dumb`; `FORCE_COLOR` overrides all three, as in
 * Node. Coloured text passes `terminalLine` before it is written. No library does this, since loading one costs a short
 * command a tenth of its time.
 */
export function createStyle(env: Readonly<Record<string, string | undefined>>, output: Output): Style {
  const painted = hasColours(env, output);
  const paint = (on: string, off: string) =>
    painted ? (text: string) => `${colourMark(on)}${text}${colourMark(off)}` : (text: string) => text;
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
export function paintStatus(style: Style): (text: string, row: { status: 'active' | 'inactive' }) => string {
  return (text, { status }) => (status === 'inactive' ? style.yellow(text) : text);
}

function hasColours(env: Readonly<Record<string, string | undefined>>, output: Output): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return !no && term !== 'dumb' && output.isTTY;
}

/** Whether the terminal can move its cursor, as the panel, the settings page and the progress bar need. */
export function canDraw(env: Readonly<Record<string, string | undefined>>, output: Output): boolean {
  return output.isTTY && env.TERM !== 'dumb' && env.TERM !== undefined;
}
