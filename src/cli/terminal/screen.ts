import { isHkctlError } from '../../core/errors.ts';
import { isCancelKey, onKeypress, type Screen, type ScreenEvent } from './interaction.ts';
import type { Io, Output } from './io.ts';
import { canDraw, terminalLine } from './style.ts';
import { widthOf } from './wrap.ts';

/**
 * Opens the alternate screen on an output and reads the keyboard in raw mode. What is asked or shown from the settings page, such as
 * the one-time panel, gets the screen of the page, which stays open.
 */
export function openScreen(io: Io, output: Output = io.stdout): Screen {
  if (io.screen) return { ...io.screen, close() {} };
  return open(io, output, alternateScreen(output));
}

/** Opens some lines on standard error, below the command line: the same for a question, which they leave when it is closed. */
export function openLines(io: Io): Screen {
  return open(io, io.stderr, canDraw(io.env, io.stderr) ? redrawnLines(io.stderr) : writtenLines(io.stderr));
}

/** How lines get to a terminal. */
interface Canvas {
  show(): void;
  draw(lines: readonly string[], rows: number, cursor?: readonly [row: number, column: number]): void;
  hide(): void;
}

/** More events than this wait only if somebody pastes a long text by mistake: its rest is dropped. */
const mostWaiting = 4096;

function open({ stdin, signals }: Io, output: Output, canvas: Canvas): Screen {
  const queue: ScreenEvent[] = [];
  let waiting: ((event: ScreenEvent) => void) | undefined;
  let drawn: Parameters<Screen['draw']> = [() => []];
  const push = (event: ScreenEvent) => {
    const resolve = waiting;
    waiting = undefined;
    if (resolve) resolve(event);
    else if (queue.length < mostWaiting) queue.push(event);
    else if (typeof event === 'string' || isCancelKey(event)) queue.splice(0, queue.length, event);
  };
  const show = () => {
    // The shell may have changed the mode meanwhile, and Node does not set a mode that it believes to be set.
    stdin.setRawMode?.(false);
    stdin.setRawMode?.(true);
    canvas.show();
  };
  const hide = () => {
    canvas.hide();
    stdin.setRawMode?.(false);
  };
  const redraw = () => {
    const [linesFor, cursorFor] = drawn;
    const [columns, rows] = [output.columns() ?? 80, output.rows() ?? 24];
    canvas.draw(linesFor(columns, rows), rows, cursorFor?.(columns));
  };
  const onEnd = () => push('end');
  stdin.on('end', onEnd);
  stdin.on('error', onEnd);
  const stops = [
    onKeypress(stdin, (key) => {
      if (key.ctrl && key.name === 'z') signals.stop();
      else push(key);
    }),
    () => stdin.off('end', onEnd).off('error', onEnd),
    output.onResize(redraw),
    signals.onInterrupt(() => push('signal')),
    signals.onStop({
      before: hide,
      after() {
        // Erases again, since SIGSTOP leaves no time to do so: a secret must be gone before `show` clears the screen.
        hide();
        show();
        redraw();
      },
    }),
    signals.onExit(() => unlessGone(hide)),
  ];
  stdin.resume();
  show();
  return {
    draw(...given) {
      drawn = given;
      redraw();
    },
    next: () => {
      const event = queue.shift();
      return event !== undefined ? Promise.resolve(event) : new Promise((resolve) => (waiting = resolve));
    },
    hasMore: () => queue.length > 0,
    unread: (event) => void queue.unshift(event),
    close() {
      if (stops.length === 0) return;
      for (const stop of stops.splice(0)) stop();
      stdin.pause();
      hide();
    },
  };
}

/**
 * Switches to the alternate screen, hides the cursor and turns wrapping off. Clears the whole screen only here: a terminal
 * without an alternate screen (GNU Screen, tmux with `alternate-screen off`) then moves its content to the scrollback.
 */
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const top = '\u001b[H';
const eraseRow = '\u001b[2K';
const down = '\u001b[B';

function alternateScreen(output: Output): Canvas {
  let rowsDrawn = 0;
  return {
    show: () => output.write(enter),
    draw(lines, shownRows) {
      // Addresses each row and leaves the cursor at the top: a terminal that shrinks then scrolls nothing away.
      const rows = Math.max(lines.length, shownRows);
      const texts = Array.from({ length: rows }, (_, i) => terminalLine(lines[i] ?? ''));
      output.write(texts.map((text, i) => `\u001b[${i + 1};1H${eraseRow}${text}`).join('') + top);
      rowsDrawn = Math.max(rowsDrawn, rows);
    },
    hide() {
      // Row by row: without an alternate screen, clearing everything at once would move it to the scrollback.
      const rows = Math.max(rowsDrawn, output.rows() ?? 0);
      output.write(top + `${eraseRow}${down}`.repeat(rows) + eraseRow + top + leave);
      rowsDrawn = 0;
    },
  };
}

/** Lines where the cursor is, drawn anew over themselves; none is wrapped by the terminal, which would move those below it. */
function redrawnLines(output: Output): Canvas {
  let cursorRow = 0;
  const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '');
  const erased = () => `\u001b[G${up(cursorRow)}\u001b[J`;
  return {
    show() {},
    draw(lines, _rows, cursor) {
      const last = lines.length - 1;
      const [row, column] = cursor ?? [last, 0];
      const placed = cursor ? `${up(last - row)}\u001b[${column + 1}G\u001b[?25h` : '\u001b[?25l';
      output.write(`${erased()}\u001b[?7l${lines.map(terminalLine).join('\n')}\u001b[?7h${placed}`);
      cursorRow = row;
    },
    hide() {
      output.write(`${erased()}\u001b[?25h`);
      cursorRow = 0;
    },
  };
}

/** The same for a terminal that cannot move its cursor: what was added to the lines is written, and without that all of them again. */
function writtenLines(output: Output): Canvas {
  let shown = '';
  return {
    show() {},
    draw(lines) {
      const text = lines.map(terminalLine).join('\n');
      const removed = shown.startsWith(text) ? shown.slice(text.length) : '\n';
      if (text.startsWith(shown)) output.write(text.slice(shown.length));
      else if (!removed.includes('\n')) output.write('\b \b'.repeat(widthOf(removed)));
      else output.write(`\n${text}`);
      shown = text;
    },
    hide() {
      if (shown !== '') output.write('\n');
      shown = '';
    },
  };
}

/** Ignores `output_failed`: at the end of the process the terminal may be gone. */
function unlessGone(write: () => void): void {
  try {
    write();
  } catch (thrown) {
    if (!isHkctlError(thrown) || thrown.code !== 'output_failed') throw thrown;
  }
}
