import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { cancelled } from '../terminal/interaction.ts';
import type { Input, Io } from '../terminal/io.ts';
import { isCancelKey, onKeypress } from '../terminal/keypress.ts';

/** The terminal of a question, and the signal that cancels it. */
export interface PromptPlace {
  input: Input;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
}

/**
 * Shows a question on standard error. Esc, Ctrl-C, Ctrl-D, a signal and the end of the input cancel it (exit 130). It receives
 * the first `pastedBytes` of pasted texts.
 */
export async function asked<T>(
  io: Io,
  ask: (place: PromptPlace) => Promise<T>,
  pastedBytes: number = longestAnswer,
): Promise<T> {
  const { stdin } = io;
  const { input, release } = withoutLongPastes(stdin, pastedBytes);
  const cancelling = new AbortController();
  const cancel = () => cancelling.abort();

  // Listens before the question does: an Esc that Enter follows at once must not choose the marked option.
  const stopKeys = onKeypress(input, (key) => {
    if (isCancelKey(key)) cancel();
  });
  const stopSignals = io.signals.onInterrupt(cancel);
  stdin.on('end', cancel);
  stdin.on('error', cancel);
  try {
    return await ask({
      input,
      output: io.promptOutput,
      signal: cancelling.signal,
    });
  } catch (thrown) {
    const isCancelled =
      thrown instanceof Error && /^(Exit|Abort|Cancel)PromptError$/.test(thrown.name);
    throw isCancelled ? cancelled() : thrown;
  } finally {
    stopKeys();
    stopSignals();
    stdin.off('end', cancel);
    stdin.off('error', cancel);
    release();
  }
}

/** The most bytes of an answer that are pasted; no path of a file is longer. */
export const longestAnswer = 4096;
/** The same limit for a part of a name: a list is laid out anew for each character. */
export const longestFilter = 512;
/** More bytes at once than a single key sends. */
const longestKey = 32;
const ctrlC = Buffer.from('\u0003');

/** The beginning of a chunk, without the bytes of an incomplete character. */
function wholeCharacters(chunk: Buffer, maxBytes: number): Buffer {
  if (chunk.length <= maxBytes) return chunk;

  // A new decoder keeps back the beginning of a character.
  const text = new StringDecoder().write(chunk.subarray(0, maxBytes));
  return Buffer.from(text);
}

/**
 * The input of one question, without the rest of a text that was pasted and is longer than any answer. The question draws its
 * line again for each character, so that a megabyte would keep it busy for hours, and Ctrl-C would wait behind it.
 */
export function withoutLongPastes(
  stdin: Input,
  pastedBytes: number,
): { input: Input; release(): void } {
  let freeBytes = pastedBytes;
  const limitedInput = new Transform({
    transform(chunk: Buffer, _, done) {
      if (chunk.length <= longestKey) return done(null, chunk);

      const fittingChunk = wholeCharacters(chunk, freeBytes);
      freeBytes -= fittingChunk.length;
      if (fittingChunk.length > 0) this.push(fittingChunk);
      if (chunk.includes(ctrlC, fittingChunk.length)) this.push(ctrlC);
      done();
    },
  });
  const input: Input = Object.assign(
    limitedInput,
    stdin.setRawMode && { setRawMode: stdin.setRawMode.bind(stdin) },
  );
  stdin.pipe(limitedInput);
  return {
    input,
    release() {
      stdin.unpipe(limitedInput);
      stdin.pause();
      limitedInput.destroy();
    },
  };
}
