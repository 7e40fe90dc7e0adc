import { isAscii, isUtf8 } from 'node:buffer';

/** Bytes that are no UTF-8; its message is the rule that they break. */
export class EncodingFault extends Error {}

/** Decodes UTF-8 without its mark. Chunks end with a line if possible: readers then search one flat string. */
export async function* decodeUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let position = 0;
  let tail: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = tail.length > 0 ? Buffer.concat([tail, chunk]) : toBuffer(chunk);
    const whole = bytes.subarray(
      0,
      bytes.lastIndexOf(lineCode) + 1 || bytes.length - unfinished(bytes),
    );
    yield* decode(whole, position);
    position += whole.length;
    tail = bytes.subarray(whole.length);
  }
  yield* decode(tail, position);
}

const lineCode = 10;

function* decode(bytes: Buffer, position: number): Generator<string> {
  const wrong = isUtf8(bytes) ? -1 : firstWrong(bytes);
  const start = position === 0 && hasMark(bytes) ? 3 : 0;
  const text = bytes.subarray(start, wrong === -1 ? bytes.length : Math.max(start, wrong));
  // Most files are ASCII, and strings of one byte a character are the fastest to make and to search.
  if (text.length > 0) yield isAscii(text) ? text.toString('latin1') : text.toString('utf8');
  if (wrong !== -1) throw new EncodingFault(ruleFor(position + wrong, bytes[wrong] ?? 0));
}

function ruleFor(position: number, byte: number): string {
  const shown = byte.toString(16).toUpperCase().padStart(2, '0');
  return `UTF-8 text; byte ${position} (0x${shown}) is not UTF-8. Save the file as UTF-8 (in Excel: "CSV UTF-8")`;
}

function toBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function hasMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** The number of bytes at the end that begin an incomplete character, at most three. */
function unfinished(bytes: Buffer): number {
  return [0, 1, 2, 3].find((count) => isUtf8(bytes.subarray(0, bytes.length - count))) ?? 0;
}

/** The first byte that is not that of the character in its place. */
function firstWrong(bytes: Buffer): number {
  let at = 0;
  for (const character of bytes.toString()) {
    const encoded = Buffer.from(character);
    if (!encoded.equals(bytes.subarray(at, at + encoded.length))) break;
    at += encoded.length;
  }
  return at;
}
