import { isHkctlError } from '../../core/errors.ts';
import type { Io, Output } from './io.ts';
import { type Keypress, onKeypress } from './keypress.ts';
import { terminalLine } from './terminal-text.ts';

/** A key, a new size of the terminal, a signal that would end the process, or the end of the input. */
type ScreenEvent = Keypress | 'resize' | 'signal' | 'end';

/**
 * The alternate screen while it is shown. Our own, since secrets are drawn on it: its lines must leave no trace in the scrollback,
 * whatever the terminal.
 */
export interface Screen {
  /** Draws lines from the top and clears the rows below them. */
  draw(lines: readonly string[]): void;
  next(): Promise<ScreenEvent>;
  hasMore(): boolean;
  /** Puts an event back, so that {@link next} returns it again. */
  unread(event: ScreenEvent): void;
  /** Leaves the alternate screen, for another screen or for lines on the normal one. */
  suspend(): void;
  resume(): void;
  close(): void;
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

interface ScreenOptions {
  /** The first signal does not reach older listeners. */
  holdsFirst?: boolean;
  /** Where to draw; without it standard output. */
  output?: Output;
}

/**
 * Opens the alternate screen and reads the keyboard in raw mode. A screen below it, such as the settings page, lends it the
 * terminal until it is closed.
 */
export function openScreen(io: Io, { holdsFirst = false, output = io.stdout }: ScreenOptions = {}): Screen {
  const { stdin, signals } = io;
  const giveBack = io.asker?.lendTerminal();
  const queue: ScreenEvent[] = [];
  let waiting: ((event: ScreenEvent) => void) | undefined;
  let active = false;
  let rowsDrawn = 0;
  let signalled = false;
  let stopListening: (() => unknown)[] = [];
  const push = (event: ScreenEvent) => {
    const resolve = waiting;
    waiting = undefined;
    if (resolve) resolve(event);
    else queue.push(event);
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
  const onEnd = () => push('end');
  const listen = () => {
    stdin.on('end', onEnd);
    stdin.on('error', onEnd);
    return [
      onKeypress(stdin, (key) => {
        if (key.ctrl && key.name === 'z') signals.stop();
        else push(key);
      }),
      () => stdin.off('end', onEnd).off('error', onEnd),
      output.onResize(() => push('resize')),
      signals.onStop({
        before: hide,
        after() {
          // Erases again, since SIGSTOP leaves no time to do so: the secret must be gone before `enter` clears the screen.
          hide();
          show();
          push('resize');
        },
      }),
      signals.onExit(() => unlessGone(hide)),
    ];
  };
  const stopInterrupts = signals.onInterrupt(() => {
    push('signal');
    const held = holdsFirst && !signalled ? 'held' : undefined;
    signalled = true;
    return held;
  });
  const resume = () => {
    if (active) return;
    active = true;
    stopListening = listen();
    stdin.resume();
    show();
  };
  const suspend = () => {
    if (!active) return;
    active = false;
    for (const stop of stopListening) stop();
    stdin.pause();
    hide();
  };
  resume();
  return {
    draw(lines) {
      // Addresses each row and leaves the cursor at the top: a terminal that shrinks then scrolls nothing away.
      const rows = Math.max(lines.length, output.rows() ?? 24);
      const texts = Array.from({ length: rows }, (_, i) => terminalLine(lines[i] ?? ''));
      output.write(texts.map((text, i) => `\u001b[${i + 1};1H${eraseRow}${text}`).join('') + top);
      rowsDrawn = Math.max(rowsDrawn, rows);
    },
    next: () => {
      const event = queue.shift();
      return event !== undefined ? Promise.resolve(event) : new Promise((resolve) => (waiting = resolve));
    },
    hasMore: () => queue.length > 0,
    unread: (event) => void queue.unshift(event),
    suspend,
    resume,
    close() {
      stopInterrupts();
      suspend();
      giveBack?.();
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
