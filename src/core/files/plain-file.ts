import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** The content of a plain file, and owner and rights of that same file. */
export interface PlainFile {
  bytes: Buffer;
  stats: Stats;
}

/**
 * Opens a file once and reads it. Waits for no writer of a FIFO and reads no device, which may have no end: undefined for
 * anything but a plain file. Throws the error of the system for a file that is missing or closed to this account.
 */
export function readPlainFile(path: string): PlainFile | undefined {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    return stats.isFile() ? { bytes: readFileSync(fd), stats } : undefined;
  } finally {
    closeSync(fd);
  }
}
