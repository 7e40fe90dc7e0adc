import { constants, deflateSync, inflateSync } from 'node:zlib';
import { damaged } from './bytes.ts';

/**
 * The first byte of a zlib stream with this window (RFC 1950). Other bodies begin with the unit of their instants, a smaller
 * number: so a body says itself whether it is compressed.
 */
const firstOfStream = 0x28;

const compression = {
  // Differences repeat seldom, but some are more frequent than others: Huffman's code alone is six times as fast.
  strategy: constants.Z_HUFFMAN_ONLY,
  windowBits: 10,
  memLevel: 4,
  chunkSize: 2048,
} as const;

/** In a shorter body the table of codes takes as many bytes as they save. */
const shortest = 256;

/** The body of a chunk in fewer bytes, if that saves a tenth of them; else as it is. */
export function compressBody(body: Uint8Array): Uint8Array {
  if (body.length < shortest) return body;
  const compressed = deflateSync(body, compression);
  return compressed.length < 0.9 * body.length ? compressed : body;
}

/** The body as it was before {@link compressBody}. Throws the error of a damaged database, also for more than `longest` bytes. */
export function decompressBody(body: Uint8Array, longest: number): Uint8Array {
  if (body[0] !== firstOfStream) return body;
  try {
    return inflateSync(body, { maxOutputLength: longest, chunkSize: 4096 });
  } catch {
    // Its code, its length or its checksum is wrong.
    throw damaged();
  }
}
