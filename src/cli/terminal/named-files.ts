import { createReadStream, fstatSync, openSync } from 'node:fs';
import { HkctlError } from '../../core/errors.ts';
import { unreadable } from '../../core/files/path-faults.ts';

/**
 * Opens a file that the command line names at once and streams it; `bytes` is the size of a regular file. `expected` is the
 * content that the file should have, as "a log". Throws `bad_input` with the reason if it cannot be read, also later.
 */
export function streamNamedFile(
  path: string,
  expected: string,
): { stream: AsyncIterable<Buffer>; bytes: number | undefined } {
  try {
    const fd = openSync(path, 'r');
    const stats = fstatSync(fd);
    if (stats.isDirectory())
      throw new HkctlError('bad_input', `${path} is a folder, not ${expected}.`);

    return {
      stream: contentOf(path, fd),
      bytes: stats.isFile() ? stats.size : undefined,
    };
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}

async function* contentOf(path: string, fd: number): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream('', { fd, highWaterMark: 256 * 1024 });
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}
