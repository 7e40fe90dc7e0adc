import { isAscii, isUtf8 } from 'node:buffer';

/** Bytes that are no UTF-8; its message is the rule that they break. */
export class EncodingFault extends Error {}

/** Decodes UTF-8 without its mark. Chunks end with a line if possible: readers then search one flat string. */
export async function* decodeUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let position = 0;
  let incompleteBytes: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes =
      incompleteBytes.length > 0 ? Buffer.concat([incompleteBytes, chunk]) : toBuffer(chunk);
    const afterLastLine = bytes.lastIndexOf(lineCode) + 1;
    const decodableLength = afterLastLine || bytes.length - incompleteLength(bytes);
    const decodableBytes = bytes.subarray(0, decodableLength);
    yield* decode(decodableBytes, position);
    position += decodableBytes.length;
    incompleteBytes = bytes.subarray(decodableBytes.length);
  }
  yield* decode(incompleteBytes, position);
}

const lineCode = 10;

function* decode(bytes: Buffer, position: number): Generator<string> {
  const faultAt = isUtf8(bytes) ? -1 : firstInvalidByte(bytes);
  const textStart = position === 0 && hasByteOrderMark(bytes) ? 3 : 0;
  const textEnd = faultAt === -1 ? bytes.length : Math.max(textStart, faultAt);
  const textBytes = bytes.subarray(textStart, textEnd);
  // Most files are ASCII, and strings of one byte a character are the fastest to make and to search.
  if (textBytes.length > 0) {
    yield isAscii(textBytes) ? textBytes.toString('latin1') : textBytes.toString('utf8');
  }
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
