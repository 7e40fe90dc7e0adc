import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
} from 'node:fs';
import { errnoOf } from '../../core/errno.ts';
import { HkctlError } from '../../core/errors.ts';
import { pathFaults } from '../../core/files.ts';

/**
 * Opens a file for reading that the command line names. It follows a symbolic link only if root or the acting account
 * created it: in a folder of another account, that account can replace any file by a link. Throws `bad_input` or the
 * system's error.
 */
function openNamedFile(path: string, flags = constants.O_RDONLY): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isLink = found?.isSymbolicLink() === true;
  if (isLink) requireTrustedLink(path, found);
  return openSync(path, isLink ? flags : flags | constants.O_NOFOLLOW);
}

/**
 * Opens such a file at once and streams it; `bytes` is the size of a regular file. `what` says what it should be, as "a log".
 * Throws `bad_input` with the reason if it cannot be read, also later.
 */
export function streamNamedFile(
  path: string,
  what: string,
): { stream: AsyncIterable<Buffer>; bytes: number | undefined } {
  try {
    const fd = openNamedFile(path);
    const stats = fstatSync(fd);
    if (stats.isDirectory()) throw new HkctlError('bad_input', `${path} is a folder, not ${what}.`);
    return { stream: contentOf(path, fd), bytes: stats.isFile() ? stats.size : undefined };
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

function unreadable(path: string, thrown: unknown): unknown {
  const why: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'this account may not read it',
  };
  const code = errnoOf(thrown);
  if (code === undefined) return thrown;
  const hint = code === 'EACCES' ? { hint: 'Standard input works: give - as the file.' } : {};
  return new HkctlError(
    'bad_input',
    `${path} cannot be read: ${why[code] ?? pathFaults[code] ?? code}.`,
    {
      ...hint,
      cause: thrown,
    },
  );
}

/** Reads a regular file, opened in the same way and without waiting on a FIFO; undefined if it exceeds `mostBytes`. */
export function readNamedText(path: string, mostBytes: number): string | undefined {
  const fd = openNamedFile(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new HkctlError('bad_input', `${path} is not a regular file.`);
    return stats.size > mostBytes ? undefined : readFileSync(fd, 'utf8');
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
