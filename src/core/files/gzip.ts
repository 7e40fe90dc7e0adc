import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errnoOf } from '../errors.ts';

/**
 * Decompresses gzip (RFC 1952), recognized by its first bytes, and passes on everything else. `damaged` makes the error for an
 * archive that is damaged or incomplete.
 */
export async function* gunzipped(
  source: AsyncIterable<Uint8Array>,
  damaged: (cause: Error) => Error,
): AsyncGenerator<Uint8Array> {
  const { head, all } = await peek(source, 2);
  yield* isGzip(head) ? unpack(all, damaged) : all;
}

export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

async function* unpack(
  source: AsyncIterable<Uint8Array>,
  damaged: (cause: Error) => Error,
): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // Each of the two ends with the other, and the reader gets the fault of either.
  pipeline(source, gunzip, () => {});
  try {
    yield* gunzip;
  } catch (thrown) {
    const isDamaged = thrown instanceof Error && /^Z_/.test(errnoOf(thrown) ?? '');
    throw isDamaged ? damaged(thrown) : thrown;
  }
}

/** Reads at least `length` bytes, or all if there are fewer; returns them as `head`, and `all` bytes from the start. */
export async function peek(
  source: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ head: Buffer; all: AsyncGenerator<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  const headChunks: Uint8Array[] = [];
  let headLength = 0;
  while (headLength < length) {
    const { done, value } = await iterator.next();
    if (done) break;
    headChunks.push(value);
    headLength += value.length;
  }
  return { head: Buffer.concat(headChunks), all: chainChunks(headChunks, iterator) };
}

async function* chainChunks(
  headChunks: readonly Uint8Array[],
  remaining: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* headChunks;
    yield* { [Symbol.asyncIterator]: () => remaining };
  } finally {
    await remaining.return?.();
  }
}
