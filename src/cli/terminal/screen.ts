import { isHkctlError } from '../../core/errors.ts';
import { alternateScreen, type Canvas } from './canvas.ts';
import type { Io, Output } from './io.ts';
import { type Keypress, onKeypress } from './keypress.ts';

/** A key, a new size of the terminal, a signal that would end the process, or the end of the input. */
type ScreenEvent = Keypress | 'resize' | 'signal' | 'end';

/** The part of the terminal that a question, the panel or the settings page draws on, and its keyboard in raw mode. */
export interface Screen {
  /** The size of the terminal, which may change. */
  size(): { columns: number; rows: number };
  /** Draws lines in place of those that are shown. */
  draw(lines: readonly string[]): void;
  next(): Promise<ScreenEvent>;
  hasMore(): boolean;
  /** Puts an event back, so that {@link next} returns it again. */
  unread(event: ScreenEvent): void;
  /** Removes the lines, for another screen or for lines on the normal one. */
  suspend(): void;
  resume(): void;
  close(): void;
}

interface ScreenOptions {
  /** The first signal does not reach older listeners. */
  holdsFirst?: boolean;
  /** Where to draw; without it standard output. */
  output?: Output;
  /** What to draw on; without it the alternate screen. */
  canvasOn?: (output: Output) => Canvas;
}

/** Opens a screen. One below it, such as the settings page, lends it the terminal until it is closed. */
export function openScreen(
  io: Io,
  { holdsFirst = false, output = io.stdout, canvasOn = alternateScreen }: ScreenOptions = {},
): Screen {
  const { stdin, signals } = io;
  const giveBack = io.asker?.lendTerminal();
  const queue: ScreenEvent[] = [];
  let waiting: ((event: ScreenEvent) => void) | undefined;
  let active = false;
  const canvas = canvasOn(output);
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
    canvas.show();
  };
  const hide = () => {
    canvas.hide();
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
    size: () => ({ columns: output.columns() ?? 80, rows: output.rows() ?? 24 }),
    draw: (lines) => canvas.draw(lines),
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
