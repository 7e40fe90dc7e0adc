import { describe, expect, it } from 'vitest';
import { createColours } from '../../src/colours/colours.ts';

type Environment = Record<string, string | undefined>;

/** The codes that switch the four colours on, at a terminal unless told otherwise; empty without colours. */
function colourCodes(env: Environment, isTerminal = true) {
  const { red, green, yellow, cyan } = createColours(env, isTerminal);
  const codeOf = (paint: (text: string) => string) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
    /^\u001b\[([\d;]+)mx\u001b\[39m$/.exec(paint('x'))?.[1] ?? '';
  return { red: codeOf(red), green: codeOf(green), yellow: codeOf(yellow), cyan: codeOf(cyan) };
}

/** The basic colours of xterm; many other terminals have the same. */
const basic: Record<string, Rgb> = {
  31: [205, 0, 0],
  32: [0, 205, 0],
  33: [205, 205, 0],
  36: [0, 205, 205],
};
const white: Rgb = [255, 255, 255];
const darkGrey: Rgb = [30, 30, 30];

type Rgb = readonly [red: number, green: number, blue: number];

describe('the colours of text', () => {
  it.each(Object.entries(colourCodes({ TERM: 'xterm-256color' })))(
    '%s is readable on white and on dark',
    (_name, code) => {
      const colour = basic[code] ?? paletteColour(Number(code.replace(/^38;5;/, '')));
      expect(contrast(colour, white)).toBeGreaterThan(3.5);
      // What WCAG 2.2 asks of signs and large text; no colour has 4.5 on both.
      expect(contrast(colour, darkGrey)).toBeGreaterThan(2.8);
    },
  );

  it('are of the 256 only where the terminal has them', () => {
    const yellow = (env: Environment) => colourCodes(env).yellow;
    for (const env of [
      {},
      { TERM: 'xterm' },
      { TERM: 'linux' },
      { TERM: 'screen' },
      { FORCE_COLOR: '1', TERM: 'xterm-256color' },
    ])
      expect(yellow(env)).toBe('33');
    for (const env of [
      { TERM: 'tmux-256color' },
      { TERM: 'xterm', COLORTERM: 'truecolor' },
      { TERM: 'x-direct' },
      { FORCE_COLOR: '3' },
    ])
      expect(yellow(env)).toBe('38;5;166');
  });

  it.each<[string, Environment, boolean, boolean]>([
    ['a terminal', { TERM: 'xterm' }, true, true],
    ['no terminal', { TERM: 'xterm' }, false, false],
    ['a dumb terminal', { TERM: 'dumb' }, true, false],
    ['NO_COLOR', { NO_COLOR: '1' }, true, false],
    ['an empty NO_COLOR', { NO_COLOR: '' }, true, true],
    ['FORCE_COLOR off a terminal', { FORCE_COLOR: '1' }, false, true],
    ['FORCE_COLOR=true at a dumb terminal', { FORCE_COLOR: 'true', TERM: 'dumb' }, true, true],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, true, false],
    ['FORCE_COLOR=false', { FORCE_COLOR: 'false' }, true, false],
    ['NO_COLOR and FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '3' }, true, false],
  ])('depend on NO_COLOR, FORCE_COLOR and TERM: %s', (_name, env, isTerminal, hasColours) => {
    expect(colourCodes(env, isTerminal).red).toBe(hasColours ? '31' : '');
  });
});

/** The six steps of each part in the colour cube of xterm, numbers 16 to 231. */
function paletteColour(number: number): Rgb {
  const step = (n: number) => [0, 95, 135, 175, 215, 255][n % 6] ?? 0;
  const at = number - 16;
  return [step(Math.floor(at / 36)), step(Math.floor(at / 6)), step(at)];
}

/** The contrast ratio of WCAG 2.2. */
function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]; // a pair stays one
  return (light + 0.05) / (dark + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number]; // three parts stay three
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
