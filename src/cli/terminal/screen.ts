import { isHkctlError } from '../../core/errors.ts';
import type { Io } from './io.ts';
import { type Keypress, onKeypress } from './keypress.ts';
import { terminalLine } from './terminal-text.ts';

/** A key, a new size of the terminal, a signal that would end the process, or the end of the terminal itself. */
export type ScreenEvent = Keypress | 'resize' | 'signal' | 'end';

/** The alternate screen while it is shown: what is drawn on it leaves no trace in the scrollback. */
export interface Screen {
  /** Draws lines from the top; what is below them is cleared. */
  draw(lines: readonly string[]): void;
  next(): Promise<ScreenEvent>;
  /** Whether an event waits already. */
  hasMore(): boolean;
  /** Leaves the alternate screen for a while, for a question below. */
  suspend(): void;
  resume(): void;
  close(): void;
}

/**
 * To the alternate screen, without a cursor and without wrapping. A terminal that has no alternate screen (GNU Screen, tmux
 * with `alternate-screen off`) keeps what it showed in its scrollback when all of it is cleared; hence only here.
 */
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const top = '\u001b[H';
const eraseRow = '\u001b[2K';
const down = '\u001b[B';

/** What a screen does about signals: with `holdsFirst` the first one is not passed on to what lies below it. */
export interface ScreenOptions {
  holdsFirst?: boolean;
}

/** Opens the alternate screen and takes the keyboard. */
export function openScreen(io: Io, { holdsFirst = false }: ScreenOptions = {}): Screen {
  const { stdin, stdout, signals } = io;
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
    // The shell may have changed the terminal meanwhile, and a mode that is set already is not set again.
    stdin.setRawMode?.(false);
    stdin.setRawMode?.(true);
    stdout.write(enter);
  };
  const hide = () => {
    // Row by row: clearing the whole screen at once would move it into the scrollback where there is no alternate screen.
    const rows = Math.max(rowsDrawn, stdout.rows() ?? 0);
    stdout.write(top + `${eraseRow}${down}`.repeat(rows) + eraseRow + top + leave);
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
      stdout.onResize(() => push('resize')),
      signals.onStop({
        before: hide,
        after() {
          // Once more, since nobody can say what happened before SIGSTOP: the secret must not stand there when all is cleared.
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
      // Row by row by its number, and the cursor at the top: a terminal that is getting smaller then scrolls nothing away.
      const rows = Math.max(lines.length, stdout.rows() ?? 24);
      const texts = Array.from({ length: rows }, (_, i) => terminalLine(lines[i] ?? ''));
      stdout.write(texts.map((text, i) => `\u001b[${i + 1};1H${eraseRow}${text}`).join('') + top);
      rowsDrawn = Math.max(rowsDrawn, rows);
    },
    next: () => {
      const event = queue.shift();
      return event !== undefined ? Promise.resolve(event) : new Promise((resolve) => (waiting = resolve));
    },
    hasMore: () => queue.length > 0,
    suspend,
    resume,
    close() {
      stopInterrupts();
      suspend();
    },
  };
}

/** At the end of the process there is nobody left to hear that the terminal is gone. */
function unlessGone(write: () => void): void {
  try {
    write();
  } catch (thrown) {
    if (!isHkctlError(thrown) || thrown.code !== 'output_failed') throw thrown;
  }
}
