import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { HkctlError } from '../../core/errors.ts';

/**
 * Opens a file for reading that a person has named. A link in its place is followed only where that person or root has made
 * it: in a folder of another account anything may take the place of a file. Throws `bad_input`, or what the system throws.
 */
export function openNamedFile(path: string, flags = constants.O_RDONLY): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isLink = found?.isSymbolicLink() === true;
  if (isLink) requireTrustedLink(path, found);
  return openSync(path, isLink ? flags : flags | constants.O_NOFOLLOW);
}

/** The text of a plain file opened in the same way, without waiting for the other end of a FIFO; beyond `mostBytes` empty. */
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

/** Refuses a link that neither root nor the person at work has made: `bad_input`. */
export function requireTrustedLink(path: string, { uid }: Stats): void {
  const own = process.geteuid?.();
  if (own === undefined || uid === own || uid === 0) return;
  throw new HkctlError('bad_input', `${path} is a link that the account ${uid} has made.`, {
    hint: 'Give the path that it leads to, if that is what you mean.',
  });
}
