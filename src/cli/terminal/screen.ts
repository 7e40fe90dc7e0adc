import { isHkctlError } from '../../core/errors.ts';
import type { Screen, ScreenEvent } from './interaction.ts';
import type { Io, Output } from './io.ts';
import { isCancelKey, onKeypress } from './keypress.ts';
import { terminalLine } from './style.ts';

/**
 * Switches to the alternate screen, hides the cursor and turns wrapping off. Clears the whole screen only here: a terminal
 * without an alternate screen (GNU Screen, tmux with `alternate-screen off`) then moves its content to the scrollback.
 */
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const top = '\u001b[H';
const eraseRow = '\u001b[2K';
const down = '\u001b[B';
/** The most keys that wait: what is pasted beyond them is left out, but never what cancels. */
const mostWaiting = 4096;

/**
 * Opens the alternate screen on an output and reads the keyboard in raw mode. What is asked or shown from the settings page, such as
 * the one-time panel, gets the screen of the page, which stays open.
 */
export function openScreen(io: Io, output: Output = io.stdout): Screen {
  if (io.screen) return { ...io.screen, close() {} };
  const { stdin, signals } = io;
  const queue: ScreenEvent[] = [];
  let waiting: ((event: ScreenEvent) => void) | undefined;
  let linesFor: Parameters<Screen['draw']>[0] = () => [];
  let rowsDrawn = 0;
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
    output.write(enter);
  };
  const hide = () => {
    // Row by row: without an alternate screen, clearing everything at once would move it to the scrollback.
    const rows = Math.max(rowsDrawn, output.rows() ?? 0);
    output.write(top + `${eraseRow}${down}`.repeat(rows) + eraseRow + top + leave);
    rowsDrawn = 0;
    stdin.setRawMode?.(false);
  };
  const redraw = () => {
    const [columns, shownRows] = [output.columns() ?? 80, output.rows() ?? 24];
    const lines = linesFor(columns, shownRows);
    // Addresses each row and leaves the cursor at the top: a terminal that shrinks then scrolls nothing away.
    const rows = Math.max(lines.length, shownRows);
    const texts = Array.from({ length: rows }, (_, i) => terminalLine(lines[i] ?? ''));
    output.write(texts.map((text, i) => `\u001b[${i + 1};1H${eraseRow}${text}`).join('') + top);
    rowsDrawn = Math.max(rowsDrawn, rows);
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
        // Erases again, since SIGSTOP leaves no time to do so: the secret must be gone before `enter` clears the screen.
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
    draw(newLines) {
      linesFor = newLines;
      redraw();
    },
    next: () => {
      const event = queue.shift();
      return event !== undefined
        ? Promise.resolve(event)
        : new Promise((resolve) => (waiting = resolve));
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

/** Ignores `output_failed`: at the end of the process the terminal may be gone. */
function unlessGone(write: () => void): void {
  try {
    write();
  } catch (thrown) {
    if (!isHkctlError(thrown) || thrown.code !== 'output_failed') throw thrown;
  }
}
