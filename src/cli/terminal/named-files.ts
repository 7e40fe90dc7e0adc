import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { HkctlError } from '../../core/errors.ts';

/**
 * Opens a file for reading that the command line names. It follows a symbolic link only where root or the acting account
 * created it: in a folder of another account, that account can replace any file by a link. Throws `bad_input` or the
 * system's error.
 */
export function openNamedFile(path: string, flags = constants.O_RDONLY): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isLink = found?.isSymbolicLink() === true;
  if (isLink) requireTrustedLink(path, found);
  return openSync(path, isLink ? flags : flags | constants.O_NOFOLLOW);
}

/** Reads a regular file, opened in the same way and without waiting on a FIFO; empty where it exceeds `mostBytes`. */
export function readNamedText(path: string, mostBytes: number): string {
  const fd = openNamedFile(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new HkctlError('bad_input', `${path} is no plain file.`);
    return stats.size > mostBytes ? '' : readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

/** Refuses a link that neither root nor the acting account created: `bad_input`. */
export function requireTrustedLink(path: string, { uid }: Stats): void {
  const own = process.geteuid?.();
  if (own === undefined || uid === own || uid === 0) return;
  throw new HkctlError('bad_input', `${path} is a link that the account ${uid} has made.`, {
    hint: 'Give the path that it leads to, if that is what you mean.',
  });
}
