import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errnoOf } from '../core/errno.ts';
import { HkctlError } from '../core/errors.ts';
import { peek } from './chunks.ts';

/** Decompresses gzip (RFC 1952), recognized by its first bytes, and passes on everything else. Throws `bad_input` for a damaged archive. */
export async function* gunzipped(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { head, all } = await peek(source, 2);
  if (head[0] === 0x1f && head[1] === 0x8b) yield* unpack(all);
  else yield* all;
}

async function* unpack(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const packed = Readable.from(source, { objectMode: false });
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // Otherwise a read error would end the archive silently.
  packed.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const chunk of packed.pipe(gunzip)) yield chunk;
  } catch (thrown) {
    if (isZlibError(thrown)) {
      throw new HkctlError('bad_input', `The file is a damaged or incomplete gzip archive: ${thrown.message}.`, {
        hint: 'Compress it again, or import it uncompressed. Nothing was imported.',
        cause: thrown,
      });
    }
    throw thrown;
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

function isZlibError(thrown: unknown): thrown is Error {
  return /^Z_/.test(errnoOf(thrown) ?? '');
}
