import { PassThrough } from 'node:stream';
import { cancelled, Escaped } from '../terminal/interaction.ts';
import type { Input, Io } from '../terminal/io.ts';
import { isCancelKey, isTyped, onKeypress } from '../terminal/keypress.ts';

/** The terminal of a question, and the signal that cancels it. */
export interface PromptPlace {
  input: Input;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
  /** Names the drawing of the question, for a process that is stopped and continued. */
  drawnBy(drawing: Drawing): void;
}

/** The texts of a question. */
interface Drawing {
  /** Moves the cursor below the question, where the shell writes. */
  leave(): void;
  /** Draws the question again at the cursor. */
  drawAgain(): void;
}

/**
 * The most characters that a question takes, pasted ones too; no answer is longer. It draws its line again for each character,
 * so that a megabyte would keep it busy for hours, and Ctrl-C would wait behind it. In a list without a filter, letters and
 * digits would move the mark.
 */
const mostCharacters = {
  text: 512,
  list: 0,
};

/**
 * Shows a question on standard error. Ctrl-C, Ctrl-D, a signal and the end of the input cancel it (exit 130), and so does Esc, as
 * {@link Escaped}. Stopped by Ctrl-Z and continued, it is drawn again.
 */
export async function asked<T>(
  io: Io,
  ask: (place: PromptPlace) => Promise<T>,
  kind: keyof typeof mostCharacters = 'text',
): Promise<T> {
  const { stdin, signals } = io;
  const input = Object.assign(
    new PassThrough(),
    stdin.setRawMode && { setRawMode: stdin.setRawMode.bind(stdin) },
  );
  const cancelling = new AbortController();
  const cancel = () => cancelling.abort(cancelled());
  let freeCharacters = mostCharacters[kind];
  let drawing: Drawing | undefined;

  // Reads keys before the question does: an Esc that Enter follows at once must not choose the marked option.
  const stopKeys = onKeypress(stdin, (key) => {
    if (isCancelKey(key)) return cancelling.abort(key.ctrl ? cancelled() : new Escaped());
    if (key.ctrl && key.name === 'z') return signals.stop();

    const isText = isTyped(key) && key.name !== 'space';
    if (isText && --freeCharacters < 0) return;
    input.write(key.sequence);
  });
  const stopSignals = signals.onInterrupt(cancel);
  const stopStops = signals.onStop({
    before() {
      drawing?.leave();
      stdin.setRawMode?.(false);
    },
    after() {
      // The shell may have changed the mode meanwhile, and Node does not set a mode that it believes to be set.
      stdin.setRawMode?.(false);
      stdin.setRawMode?.(true);
      drawing?.drawAgain();
    },
  });
  stdin.on('end', cancel);
  stdin.on('error', cancel);
  stdin.resume();
  try {
    return await ask({
      input,
      output: io.promptOutput,
      signal: cancelling.signal,
      drawnBy(shownDrawing) {
        drawing = shownDrawing;
      },
    });
  } catch (thrown) {
    const isCancelled =
      thrown instanceof Error && /^(Exit|Abort|Cancel)PromptError$/.test(thrown.name);
    if (cancelling.signal.aborted) throw cancelling.signal.reason;
    throw isCancelled ? cancelled() : thrown;
  } finally {
    stopKeys();
    stopSignals();
    stopStops();
    stdin.off('end', cancel);
    stdin.off('error', cancel);
    stdin.pause();
    input.end();
  }
}
