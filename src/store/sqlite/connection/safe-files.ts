import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { HkctlError } from '../../../core/errors.ts';
import { modeText } from '../../../core/files.ts';
import { shellWord } from '../../../core/text/shell.ts';

/** Neither follows a link nor waits for the other end of a FIFO. */
const carefully = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** How a small file next to the databases (journal, lock, mark of a restore) is opened. */
const smallFileModes = {
  read: constants.O_RDONLY,
  /** Created if it is missing; also readable. */
  append: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT,
  /** Created if it is missing, else truncated. */
  replace: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  /** Refused (EEXIST) if it exists. */
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
} as const;

/**
 * Opens a small file of a store (created with mode 0600) and returns its descriptor. Throws `store_unreadable` (exit 6) for
 * a link, for anything but a regular file, and for a file that belongs neither to this account, nor root, nor the folder's owner.
 */
export function openSmallFile(file: string, mode: keyof typeof smallFileModes): number {
  let fd: number;
  try {
    fd = openSync(file, smallFileModes[mode] | carefully, 0o600);
  } catch (thrown) {
    requireOwnFile(file);
    throw thrown;
  }
  try {
    requireOwn(file, fstatSync(fd));
  } catch (thrown) {
    closeSync(fd);
    throw thrown;
  }
  return fd;
}

/** The text of a small file of a store; errors as {@link openSmallFile}. */
export function readSmallFile(file: string): string {
  const fd = openSmallFile(file, 'read');
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

/** Writes a small file of a store and syncs it; errors as {@link openSmallFile}. */
export function writeSmallFile(file: string, text: string, mode: 'replace' | 'create'): void {
  const fd = openSmallFile(file, mode);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Refuses a folder for a new store that every account can write, and so replace the store: `store_unreadable` (exit 6). */
export function requireClosedFolder(folder: string): void {
  const mode = (statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o7777;
  // In a sticky folder such as /tmp no account can rename the files of others.
  if ((mode & 0o002) === 0 || (mode & 0o1000) !== 0) return;
  throw refused(
    `Every account can write the folder ${folder} (mode ${modeText(mode)}), and put another store in place of this one.`,
    `Close it first with: chmod 700 ${shellWord(folder)}. Or name another place with --store PATH.`,
  );
}

/**
 * Refuses a database of a store whose file, or one that SQLite keeps next to it, is a link, is no regular file, or belongs to
 * another account: `store_unreadable`. SQLite itself would follow a link or only say that it cannot open the file.
 */
export function requireOwnDatabase(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) requireOwnFile(file + end);
}

/** The same for one file, which may be missing. */
export function requireOwnFile(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats !== undefined) requireOwn(file, stats);
}

function requireOwn(file: string, stats: Stats): void {
  if (stats.isSymbolicLink()) {
    throw refused(
      `${file} is a link, and no file of a store may be one.`,
      'Put the file itself there, or name the store by the path that the link leads to: --store PATH',
    );
  }
  if (stats.isDirectory())
    throw refused(
      `${file} is a folder; a file of the store belongs there.`,
      'Name the file of the store with --store PATH.',
    );
  if (!stats.isFile())
    throw refused(`${file} is not a regular file, as every file of a store has to be.`, 'Move it away, and try again.');
  // Windows has no user ids to compare.
  const own = process.geteuid?.();
  if (own === undefined || stats.uid === own || stats.uid === 0) return;
  if (stats.uid === ownerOf(dirname(file))) return;
  throw refused(
    `${file} belongs to the account ${stats.uid}, which does not own the folder of the store.`,
    'If it is a file of this store, root gives it to the owner of the folder with chown; else move it away.',
  );
}

function ownerOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.uid;
}

function refused(message: string, hint: string): HkctlError {
  return new HkctlError('store_unreadable', message, { hint });
}
