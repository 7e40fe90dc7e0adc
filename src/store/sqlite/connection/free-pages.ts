import type { Connection } from '../../sqlite-file/driver.ts';

/** Pages that are moved at once: half a megabyte. */
const pagesAtOnce = 128;

/** Lets the file of an empty database become shorter later on: see {@link releaseFreePages}. */
export function allowShorterFile(connection: Connection): void {
  connection.pragma('auto_vacuum = incremental');
}

/**
 * Gives some of the free pages of a database back to the file system, and returns whether there are more. Stores of 0.2.0 were
 * made without {@link allowShorterFile}: they keep their free pages for rows to come.
 */
export function releaseFreePages(connection: Connection): boolean {
  const before = freePages(connection);
  if (before === 0) return false;
  connection.pragma(`incremental_vacuum(${pagesAtOnce})`);
  const after = freePages(connection);
  return after > 0 && after < before;
}

function freePages(connection: Connection): number {
  return Number(connection.pragma('freelist_count', { simple: true }));
}

/** Moves the write-ahead log into the database and empties its file, unless somebody reads from it now: the next one can do so. */
export function emptyWriteAheadLog(connection: Connection): void {
  const busyTimeoutMs = Number(connection.pragma('busy_timeout', { simple: true }));
  connection.pragma('busy_timeout = 0');
  try {
    connection.pragma('wal_checkpoint(truncate)');
  } finally {
    connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}
