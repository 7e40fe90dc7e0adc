import type { Io } from '../terminal/io.ts';
import { createStyle, terminalLine } from '../terminal/style.ts';
import { wrapText } from '../terminal/wrap.ts';
import { terminalWidthOf } from './lines.ts';

/**
 * The look of the library's questions: the colours of everything else, and how to cancel. It names every style that the library
 * paints, since the library looks at standard output, where the questions are not, and Node 20 paints in spite of NO_COLOR.
 */
export function promptTheme(io: Io, keyHints = ['↑↓ choose']) {
  const style = createStyle(io.env, io.stderr);
  const columns = terminalWidthOf(io);
  const painter = (paint: (text: string) => string) => (text: string) => terminalLine(paint(text));
  /** Lines for the width of the terminal, which the library would break inside a word. */
  const paragraph = (paint: (text: string) => string) => (text: string) =>
    wrapText(text, columns).map(painter(paint)).join('\n');
  const paintCyan = painter(style.cyan);
  const helpText = [...keyHints, 'Enter submits', 'Esc cancels'].join(', ');

  return {
    prefix: { idle: paintCyan('?'), done: terminalLine(style.green('✔')) },
    style: {
      answer: paintCyan,
      defaultAnswer: (text: string) => terminalLine(style.dim(`(${text})`)),
      description: paragraph(style.cyan),
      help: painter(style.dim),
      error: (text: string) => paragraph(style.red)(`> ${text}`),
      highlight: paintCyan,
      keysHelpTip: () => paragraph(style.dim)(helpText),
      message: (text: string) => text.split('\n').map(painter(style.bold)).join('\n'),
      searchTerm: paintCyan,
    },
  };
}
