import { emitKeypressEvents } from 'node:readline';
import type { Io } from './io.ts';

/** A pressed key: its name (`return`, `escape`, `up`, `c` …) and the text it typed. */
export interface Keypress {
  name: string;
  text: string;
  ctrl: boolean;
}

/** The alternate screen while it is shown: what is drawn on it leaves no trace in the scrollback. */
export interface Screen {
  /** Draws lines from the top; what is below them is cleared. */
  draw(lines: readonly string[]): void;
  /** Waits for a key, or for `resize` or `interrupt`. */
  next(): Promise<Keypress | 'resize' | 'interrupt'>;
  /** Whether a key waits already. */
  hasMore(): boolean;
  /** Leaves the alternate screen for a while, for a question below. */
  suspend(): void;
  resume(): void;
  close(): void;
}

const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[2J\u001b[H\u001b[?25h\u001b[?1049l';

/** Opens the alternate screen and takes the keyboard. */
export function openScreen(io: Io): Screen {
  const { stdin, stdout } = io;
  const queue: (Keypress | 'resize' | 'interrupt')[] = [];
  let waiting: ((event: Keypress | 'resize' | 'interrupt') => void) | undefined;
  let active = false;
  const push = (event: Keypress | 'resize' | 'interrupt') => {
    const resolve = waiting;
    waiting = undefined;
    if (resolve) resolve(event);
    else queue.push(event);
  };
  const onKey = (text: string | undefined, key: { name?: string; ctrl?: boolean; sequence?: string }) => {
    if (key.ctrl && (key.name === 'c' || key.name === 'd')) push('interrupt');
    else push({ name: key.name ?? text ?? '', text: text ?? '', ctrl: key.ctrl ?? false });
  };
  const onEnd = () => push('interrupt');
  const interrupted = io.interrupted();
  let stopResize = () => {};
  const resume = () => {
    if (active) return;
    active = true;
    emitKeypressEvents(stdin);
    stdin.setRawMode?.(true);
    stdin.on('keypress', onKey);
    stdin.on('end', onEnd);
    interrupted.addEventListener('abort', onEnd);
    stopResize = stdout.onResize(() => push('resize'));
    stdin.resume();
    stdout.write(enter);
  };
  const suspend = () => {
    if (!active) return;
    active = false;
    stdout.write(leave);
    stdin.off('keypress', onKey);
    stdin.off('end', onEnd);
    interrupted.removeEventListener('abort', onEnd);
    stopResize();
    stdin.setRawMode?.(false);
    stdin.pause();
  };
  resume();
  if (interrupted.aborted) onEnd();
  return {
    draw: (lines) => stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`),
    next: () => {
      const event = queue.shift();
      return event !== undefined ? Promise.resolve(event) : new Promise((resolve) => (waiting = resolve));
    },
    hasMore: () => queue.length > 0,
    suspend,
    resume,
    close: suspend,
  };
}
