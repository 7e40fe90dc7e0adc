import type { Io } from '../io.ts';
import { createStyle } from '../style.ts';
import { terminalLine } from '../terminal-text.ts';

/** The look of questions below the command line: the colours of everything else, and how to cancel. */
export function promptTheme({ env, stderr }: Io) {
  const style = createStyle(env, stderr);
  const cyan = (text: string) => terminalLine(style.cyan(text));
  return {
    prefix: { idle: cyan('?'), done: terminalLine(style.green('✔')) },
    style: {
      answer: cyan,
      highlight: cyan,
      keysHelpTip: () => terminalLine(style.dim('↑↓ choose, Enter submits, Esc cancels')),
    },
  };
}
