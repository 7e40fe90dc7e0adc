import type { Io } from '../terminal/io.ts';
import { createStyle, terminalLine } from '../terminal/style.ts';
import { wrapText } from '../terminal/wrap.ts';
import { terminalWidthOf } from './lines.ts';

type Paint = (text: string) => string;

/**
 * The look of the library's questions: the colours of everything else, and how to cancel. It names every style that the library
 * paints, since the library looks at standard output, where the questions are not, and Node 20 paints in spite of NO_COLOR.
 */
export function promptTheme(io: Io, goesBack = false, keyHints = ['↑↓ choose']) {
  const style = createStyle(io.env, io.stderr);
  const columns = terminalWidthOf(io);
  const painter = (paint: Paint) => (text: string) => terminalLine(paint(text));
  /** Lines for the width of the terminal, which the library would break inside a word. */
  const paragraph = (paint: Paint) => (text: string) => {
    const lines = wrapText(text, columns);
    return lines.map(painter(paint)).join('\n');
  };
  const paintCyan = painter(style.cyan);
  const paintBold = painter(style.bold);
  const helpText = [...keyHints, 'Enter submits', goesBack ? 'Esc goes back' : 'Esc cancels'].join(
    ', ',
  );

  return {
    prefix: {
      idle: paintCyan('?'),
      done: terminalLine(style.green('✔')),
    },
    style: {
      answer: paintCyan,
      defaultAnswer: (text: string) => terminalLine(style.dim(`(${text})`)),
      description: paragraph(style.cyan),
      help: painter(style.dim),
      error: (text: string) => paragraph(style.red)(`> ${text}`),
      highlight: paintCyan,
      keysHelpTip: () => paragraph(style.dim)(helpText),
      message: (text: string) => {
        const lines = text.split('\n');
        return lines.map(paintBold).join('\n');
      },
      searchTerm: paintCyan,
    },
  };
}
