import type { Io } from '../terminal/io.ts';
import { createStyle, terminalLine } from '../terminal/style.ts';
import { wrapText } from '../terminal/wrap.ts';
import { terminalWidthOf } from './lines.ts';

/**
 * The look of the library's questions: the colours of everything else, and how to cancel. It names every style that the library
 * paints, since the library looks at standard output, where the questions are not, and Node 20 paints in spite of NO_COLOR.
 */
export function promptTheme(io: Io, keys = ['↑↓ choose']) {
  const style = createStyle(io.env, io.stderr);
  const columns = terminalWidthOf(io);
  const painted = (paint: (text: string) => string) => (text: string) => terminalLine(paint(text));
  /** Lines for the width of the terminal, which the library would break inside a word. */
  const paragraph = (paint: (text: string) => string) => (text: string) =>
    wrapText(text, columns).map(painted(paint)).join('\n');
  const cyan = painted(style.cyan);
  const help = [...keys, 'Enter submits', 'Esc cancels'].join(', ');

  return {
    prefix: { idle: cyan('?'), done: terminalLine(style.green('✔')) },
    style: {
      answer: cyan,
      defaultAnswer: (text: string) => terminalLine(style.dim(`(${text})`)),
      description: paragraph(style.cyan),
      help: painted(style.dim),
      error: (text: string) => paragraph(style.red)(`> ${text}`),
      highlight: cyan,
      keysHelpTip: () => paragraph(style.dim)(help),
      message: (text: string) => text.split('\n').map(painted(style.bold)).join('\n'),
      searchTerm: cyan,
    },
  };
}
