import { Writable } from 'node:stream';
import type { Io } from '../terminal/io.ts';
import { createStyle, terminalLine } from '../terminal/style.ts';
import { wrapText } from '../terminal/wrap.ts';
import { asked, type PromptPlace } from './asked.ts';
import { terminalWidthOf } from './lines.ts';

type Paint = (text: string) => string;

/**
 * The look of the library's questions: the colours of everything else, and how to cancel. It names every style that the library
 * paints. The library itself looks at standard output, where no question is, and Node 20 paints in spite of NO_COLOR.
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

/** Asks by a prompt of the library, which itself draws only after a key, and would lose the terminal to Ctrl-Z. */
export function askByLibrary<T>(
  io: Io,
  ask: (place: PromptPlace) => Promise<T>,
  kind: Parameters<typeof asked>[2],
): Promise<T> {
  const askInFrame = (place: PromptPlace) => {
    const { output, ...drawing } = createFrame(io, place.output);
    place.drawnBy(drawing);
    return ask({ ...place, output });
  };
  return asked(io, askInFrame, kind);
}

/** The end of what erases the last drawing, with which each drawing but the first begins. */
const firstColumn = '\u001b[G';
/** The last sequences of a drawing: up to the line of the cursor, and to its column. */
const wayToCursor = /\[(\d+)A.\[\d+G$/;
const cursorMove = /^.\[\d+G$/;
const showCursor = '\u001b[?25h';

/** An output that remembers what is drawn on the terminal. */
function createFrame({ stderr }: Io, terminal: NodeJS.WritableStream) {
  let drawn = '';
  let cursor = '';
  const output = new Writable({
    decodeStrings: false,
    write(text: string | Buffer, _, done) {
      const written = text.toString();
      if (cursorMove.test(written)) {
        cursor = written;
      } else {
        drawn = written.split(firstColumn).at(-1) ?? '';
        cursor = '';
      }
      terminal.write(written);
      done();
    },
  });
  // The library reads the width for the lines that it breaks.
  Object.defineProperty(output, 'columns', { get: stderr.columns });
  return {
    output,
    leave() {
      const rowsBelow = Number(wayToCursor.exec(drawn)?.[1] ?? 0);
      terminal.write(`${'\n'.repeat(rowsBelow + 1)}${showCursor}`);
    },
    drawAgain: () => void terminal.write(`\r${drawn}${cursor}`),
  };
}
