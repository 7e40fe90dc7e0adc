import { Chalk, type ChalkInstance } from 'chalk';
import type { Output } from './io.ts';

/**
 * Colours for an output: none where it is no terminal, for `NO_COLOR` and for `TERM=dumb`; `FORCE_COLOR` overrules all
 * three, as Node has it. Only the sixteen basic colours, which every theme, dark or light, makes readable.
 */
export function createStyle(env: Readonly<Record<string, string | undefined>>, output: Output): ChalkInstance {
  return new Chalk({ level: hasColours(env, output) ? 1 : 0 });
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
