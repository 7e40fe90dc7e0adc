import { Chalk, type ColorSupportLevel } from 'chalk';

export type Colours = ReturnType<typeof createColours>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The colours of one output. Many terminals show basic green, yellow and cyan so brightly that they are unreadable on white. On a
 * terminal with 256 colours these three have a contrast of 3.8 or more both to white and to a dark grey such as #1e1e1e; the
 * basic red has it everywhere.
 */
export function createColours(env: Environment, isTerminal: boolean) {
  const chalk = new Chalk({ level: levelOf(env, isTerminal) });
  const { bold, dim, strikethrough, red } = chalk;
  if (chalk.level < 2) {
    const { green, yellow, cyan } = chalk;
    return {
      bold,
      dim,
      strikethrough,
      red,
      green,
      yellow,
      cyan,
    };
  }

  return {
    bold,
    dim,
    strikethrough,
    red,
    green: chalk.ansi256(64),
    yellow: chalk.ansi256(166),
    cyan: chalk.ansi256(31),
  };
}

/** `NO_COLOR` comes first (no-color.org), then `FORCE_COLOR` with its number as Node reads it, then the terminal. */
function levelOf(env: Environment, isTerminal: boolean): ColorSupportLevel {
  const {
    NO_COLOR: noColour,
    FORCE_COLOR: forcedLevel,
    COLORTERM: colourTerm,
    TERM: term = '',
  } = env;
  if (noColour) return 0;
  if (forcedLevel === '0' || forcedLevel === 'false') return 0;
  if (forcedLevel === '2') return 2;
  if (forcedLevel === '3') return 3;
  if (forcedLevel !== undefined) return 1;

  if (!isTerminal || term === 'dumb') return 0;
  const has256Colours = colourTerm || /256colou?r|direct/.test(term);
  return has256Colours ? 2 : 1;
}
