import { Writable } from 'node:stream';
import type { Io } from '../terminal/io.ts';
import { asked, type PromptPlace } from './asked.ts';

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
