import { constants, deflateSync, inflateSync } from 'node:zlib';
import { damaged } from './bytes.ts';

/**
 * The first byte of a zlib stream with this window (RFC 1950). Other bodies begin with the unit of their instants, a smaller
 * number, so that this byte shows whether a body is compressed.
 */
const compressedMarker = 0x28;

const deflateOptions = {
  // Differences repeat seldom, but some are more frequent than others: Huffman's code alone is six times as fast.
  strategy: constants.Z_HUFFMAN_ONLY,
  windowBits: 10,
  memLevel: 4,
  chunkSize: 2048,
} as const;

/** In a shorter body the table of codes takes as many bytes as they save. */
const minCompressedLength = 256;

/** Compresses the body of a chunk, if that saves a tenth of its bytes. */
export function compressBody(body: Uint8Array): Uint8Array {
  if (body.length < minCompressedLength) return body;
  const compressed = deflateSync(body, deflateOptions);
  return compressed.length < 0.9 * body.length ? compressed : body;
}

/** The body as it was before {@link compressBody}. Throws the error of a damaged database, also for more than `maxLength` bytes. */
export function decompressBody(body: Uint8Array, maxLength: number): Uint8Array {
  if (body[0] !== compressedMarker) return body;
  try {
    return inflateSync(body, { maxOutputLength: maxLength, chunkSize: 4096 });
  } catch {
    // Its code, its length or its checksum is wrong.
    throw damaged();
  }
}
