import { isUtf8 } from 'node:buffer';

/** Bytes that are no UTF-8; its message is the rule that they break. */
export class EncodingFault extends Error {}

/** Passes on UTF-8 without its mark, in pieces of whole characters. Throws {@link EncodingFault} behind the last that is UTF-8. */
export async function* requireUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let position = 0;
  let incompleteBytes: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes =
      incompleteBytes.length > 0 ? Buffer.concat([incompleteBytes, chunk]) : toBuffer(chunk);
    const wholeBytes = bytes.subarray(0, bytes.length - incompleteLength(bytes));
    yield* checked(wholeBytes, position);
    position += wholeBytes.length;
    incompleteBytes = bytes.subarray(wholeBytes.length);
  }
  yield* checked(incompleteBytes, position);
}

function* checked(bytes: Buffer, position: number): Generator<Buffer> {
  const faultAt = isUtf8(bytes) ? -1 : firstInvalidByte(bytes);
  const textStart = position === 0 && hasByteOrderMark(bytes) ? 3 : 0;
  const textEnd = faultAt === -1 ? bytes.length : Math.max(textStart, faultAt);
  if (textEnd > textStart) yield bytes.subarray(textStart, textEnd);
  if (faultAt !== -1) {
    throw new EncodingFault(ruleFor(position + faultAt, bytes[faultAt] ?? 0));
  }
}

function ruleFor(position: number, byte: number): string {
  const byteText = byte.toString(16).toUpperCase().padStart(2, '0');
  return `UTF-8 text; byte ${position} (0x${byteText}) is not UTF-8. Save the file as UTF-8 (in Excel: "CSV UTF-8")`;
}

function toBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** The number of bytes at the end that begin an incomplete character, at most three. */
function incompleteLength(bytes: Buffer): number {
  const lengths = [0, 1, 2, 3];
  const isWithout = (length: number) => isUtf8(bytes.subarray(0, bytes.length - length));
  return lengths.find(isWithout) ?? 0;
}

/** The first byte that is not that of the character at its position. */
function firstInvalidByte(bytes: Buffer): number {
  let characterStart = 0;
  for (const character of bytes.toString()) {
    const encoded = Buffer.from(character);
    if (!encoded.equals(bytes.subarray(characterStart, characterStart + encoded.length))) {
      break;
    }
    characterStart += encoded.length;
  }
  return characterStart;
}
