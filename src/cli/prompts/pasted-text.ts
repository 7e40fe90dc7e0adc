import { Transform } from 'node:stream';
import type { Input } from '../terminal/io.ts';

/** An answer holds at most so many bytes that were pasted; no path of a file is longer. */
const longestAnswer = 4096;
/** More bytes at once than a single key sends. */
const longestKey = 32;
const ctrlC = Buffer.from('\u0003');

/**
 * The input of one question, without the rest of a text that was pasted and is longer than any answer. The question draws its
 * line again for each character, so that a megabyte would keep it busy for hours, and Ctrl-C would wait behind it.
 */
export function withoutLongPastes(stdin: Input): { input: Input; release(): void } {
  let left = longestAnswer;
  const limited = new Transform({
    transform(chunk: Buffer, _, done) {
      if (chunk.length <= longestKey) return done(null, chunk);
      const kept = chunk.subarray(0, wholeCharacters(chunk, left));
      left -= kept.length;
      if (kept.length > 0) this.push(kept);
      if (chunk.includes(ctrlC, kept.length)) this.push(ctrlC);
      done();
    },
  });
  const input: Input = Object.assign(limited, stdin.setRawMode && { setRawMode: stdin.setRawMode.bind(stdin) });
  stdin.pipe(limited);
  return {
    input,
    release() {
      stdin.unpipe(limited);
      stdin.pause();
      limited.destroy();
    },
  };
}

/** The greatest length up to `most` that ends between two characters of UTF-8. */
function wholeCharacters(bytes: Buffer, most: number): number {
  if (bytes.length <= most) return bytes.length;
  let end = most;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}
