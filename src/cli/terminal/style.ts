import type { Output } from './io.ts';
import { colourMark } from './terminal-text.ts';

/** Ways to paint a text; each gives it back as it is where there are no colours. */
export type Style = Record<keyof typeof codes, (text: string) => string>;

/** Switch on and off (ECMA-48). Only the sixteen basic colours, which every theme, dark or light, makes readable. */
const codes = {
  bold: [1, 22],
  strikethrough: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/**
 * Colours for an output: none where it is no terminal, for `NO_COLOR` and for `TERM=dumb`; `FORCE_COLOR` overrules all
 * three, as Node has it. What is painted goes through `terminalLine` before it is written. Made here and not by a library, since loading one costs a short command a tenth of its time.
 */
export function createStyle(env: Readonly<Record<string, string | undefined>>, output: Output): Style {
  const painted = hasColours(env, output);
  const paint = ([on, off]: readonly [number, number]) =>
    painted ? (text: string) => `${colourMark(on)}${text}${colourMark(off)}` : (text: string) => text;
  return {
    bold: paint(codes.bold),
    strikethrough: paint(codes.strikethrough),
    red: paint(codes.red),
    green: paint(codes.green),
    yellow: paint(codes.yellow),
    cyan: paint(codes.cyan),
  };
}

/** Whether an output gets colours. */
export function hasColours(env: Readonly<Record<string, string | undefined>>, output: Output): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return !no && term !== 'dumb' && output.isTTY;
}

/** Whether the terminal can move its cursor: for the panel, the browser and the progress bar. */
export function canDraw(env: Readonly<Record<string, string | undefined>>, output: Output): boolean {
  return output.isTTY && env.TERM !== 'dumb' && env.TERM !== undefined;
}
