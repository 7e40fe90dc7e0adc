import { isHkctlError } from '../../core/errors.ts';
import type { Screen, ScreenEvent } from './interaction.ts';
import type { Io } from './io.ts';
import { isCancelKey, onKeypress } from './keypress.ts';
import { terminalLine } from './style.ts';

/**
 * Switches to the alternate screen, hides the cursor and turns wrapping off. Clears the whole screen only here: a terminal
 * without an alternate screen (GNU Screen, tmux with `alternate-screen off`) then moves its content to the scrollback.
 */
const enterScreen = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const leaveScreen = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const cursorHome = '\u001b[H';
const eraseRow = '\u001b[2K';
const cursorDown = '\u001b[B';
/** The most keys that wait: further pasted ones are left out, except a key that cancels. */
const maxQueuedEvents = 4096;

/**
 * Opens the alternate screen and reads the keyboard in raw mode. Questions and panels of the settings page, such as
 * the one-time panel, get the screen of the page, which stays open.
 */
export function openScreen(io: Io): Screen {
  if (io.screen) return { ...io.screen, close() {} };

  const { stdin, stdout, signals } = io;
  const eventQueue: ScreenEvent[] = [];
  let resolveNext: ((event: ScreenEvent) => void) | undefined;
  let linesFor: Parameters<Screen['draw']>[0] = () => [];
  let rowsDrawn = 0;
  const pushEvent = (event: ScreenEvent) => {
    const resolve = resolveNext;
    resolveNext = undefined;
    if (resolve) resolve(event);
    else if (eventQueue.length < maxQueuedEvents) eventQueue.push(event);
    else if (typeof event === 'string' || isCancelKey(event))
      eventQueue.splice(0, eventQueue.length, event);
  };
  const showScreen = () => {
    // The shell may have changed the mode meanwhile, and Node does not set a mode that it believes to be set.
    stdin.setRawMode?.(false);
    stdin.setRawMode?.(true);
    stdout.write(enterScreen);
  };
  const hideScreen = () => {
    // Row by row: without an alternate screen, clearing everything at once would move it to the scrollback.
    const usedRows = Math.max(rowsDrawn, stdout.rows() ?? 0);
    stdout.write(
      cursorHome +
        `${eraseRow}${cursorDown}`.repeat(usedRows) +
        eraseRow +
        cursorHome +
        leaveScreen,
    );
    rowsDrawn = 0;
    stdin.setRawMode?.(false);
  };
  const redraw = () => {
    const columns = stdout.columns() ?? 80;
    const terminalRows = stdout.rows() ?? 24;
    const lines = linesFor(columns, terminalRows);
    // Addresses each row and leaves the cursor at the top: a terminal that shrinks then scrolls nothing away.
    const rowCount = Math.max(lines.length, terminalRows);
    const rowTexts = Array.from({ length: rowCount }, (_, rowIndex) =>
      terminalLine(lines[rowIndex] ?? ''),
    );
    stdout.write(
      rowTexts
        .map((rowText, rowIndex) => `\u001b[${rowIndex + 1};1H${eraseRow}${rowText}`)
        .join('') + cursorHome,
    );
    rowsDrawn = Math.max(rowsDrawn, rowCount);
  };
  const onEnd = () => pushEvent('end');
  stdin.on('end', onEnd);
  stdin.on('error', onEnd);
  const removers = [
    onKeypress(stdin, (key) => {
      if (key.ctrl && key.name === 'z') signals.stop();
      else pushEvent(key);
    }),
    () => stdin.off('end', onEnd).off('error', onEnd),
    stdout.onResize(redraw),
    signals.onInterrupt(() => pushEvent('signal')),
    signals.onStop({
      before: hideScreen,
      after() {
        // Erases again, since SIGSTOP leaves no time to do so: the secret must be gone before `enter` clears the screen.
        hideScreen();
        showScreen();
        redraw();
      },
    }),
    signals.onExit(() => unlessGone(hideScreen)),
  ];
  stdin.resume();
  showScreen();
  return {
    draw(newLines) {
      linesFor = newLines;
      redraw();
    },
    next: () => {
      const event = eventQueue.shift();
      if (event !== undefined) return Promise.resolve(event);

      return new Promise((resolve) => (resolveNext = resolve));
    },
    hasMore: () => eventQueue.length > 0,
    unread: (event) => void eventQueue.unshift(event),
    close() {
      if (removers.length === 0) return;
      for (const removeListener of removers.splice(0)) removeListener();
      stdin.pause();
      hideScreen();
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
