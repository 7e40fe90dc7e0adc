import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { errnoOf } from '../../core/errno.ts';
import { HkctlError } from '../../core/errors.ts';
import { unwritable } from '../../core/files.ts';
import { type Connection, openDatabase } from '../sqlite/connection/driver.ts';
import { toDomainError } from '../sqlite/connection/errors.ts';

/** The `application_id` in the header of a backup: "hkb1", and "hkb0" while it is being written. */
export const marks = { whole: 0x68_6b_62_31, unfinished: 0x68_6b_62_30 } as const;

/**
 * Refuses an existing target (`state_forbids`) unless `force` is set, and always anything but a regular file, such as a
 * device or a FIFO, which the backup would replace (`bad_input`).
 */
export function requireFreeTarget(target: string, force: boolean): void {
  translatingTarget(target, () => {
    const found = statSync(target, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (!force) {
      throw new HkctlError('state_forbids', `${target} is there already; nothing was written.`, {
        hint: 'Give another name, or --force to replace it once the new backup is whole.',
      });
    }
    if (found.isFile()) return;
    const what = found.isDirectory() ? 'it is a folder' : 'it is not a regular file';
    throw new HkctlError('bad_input', `${target} cannot be written: ${what}.`, {
      hint: 'Give the name of a new file.',
    });
  });
}

/**
 * Refuses a link at a path, also with `force`: `bad_input`. The backup would take the place of the link and not of its target; that
 * is often a link of the system, such as /dev/stdout.
 */
export function requireNoLink(target: string): void {
  translatingTarget(target, () => {
    if (!lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) return;
    throw new HkctlError('bad_input', `${target} cannot be written: it is a link.`, {
      hint: 'Give the path that it leads to, if that is what you mean.',
    });
  });
}

/**
 * Removes the file that an interrupted backup has left, which has its mark or is empty. Refuses any other file at that path, and
 * the one of a backup that another process is writing: `state_forbids`.
 */
export function removeLeftover(pending: string): void {
  translatingTarget(pending, () => {
    requireLeftover(pending);
    rmSync(pending, { force: true });
  });
}

function requireLeftover(pending: string): void {
  if (lstatSync(pending, { throwIfNoEntry: false }) === undefined) return;
  const fd = openLeftover(pending);
  if (fd === undefined) return;
  const header = Buffer.alloc(100);
  let isLockable = false;
  try {
    const read = readSync(fd, header);
    const id = header.readUInt32BE(applicationIdAt);
    if (
      read > 0 &&
      !(header.subarray(0, sqliteMagic.length).equals(sqliteMagic) && (id === marks.unfinished || id === marks.whole))
    ) {
      throw notOurs(pending);
    }
    // A log beside such a file would be somebody else's, and SQLite would read it.
    isLockable = read === 0 || header.readUInt16BE(formatVersionsAt) === rollbackFormat;
  } finally {
    closeSync(fd);
  }
  if (isLockable && isBeingWritten(pending)) throw beingWritten(pending);
}

/** Opens a file without following a link, and without waiting for the writer of a FIFO; undefined where it has just gone. */
function openLeftover(pending: string): number | undefined {
  let fd: number;
  try {
    fd = openSync(pending, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (thrown) {
    const found = lstatSync(pending, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    throw found.isFile() ? thrown : notOurs(pending);
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notOurs(pending);
}

/** Whether another process has the lock of a backup that it writes; see `writeVerified`. Read-only, so that nothing is replayed. */
function isBeingWritten(pending: string): boolean {
  let connection: Connection | undefined;
  try {
    connection = openDatabase(pending, { readonly: true, fileMustExist: true, timeout: 0 });
    connection.prepare('select count(*) from sqlite_master').get();
    return false;
  } catch (thrown) {
    return errnoOf(thrown) === 'SQLITE_BUSY';
  } finally {
    connection?.close();
  }
}

/** Creates the file of a backup for its owner only and opens it to write. Throws `state_forbids` where another process just did. */
export function createPending(pending: string): number {
  return translatingTarget(pending, () => {
    try {
      return openSync(pending, 'wx', 0o600);
    } catch (thrown) {
      throw errnoOf(thrown) === 'EEXIST' ? beingWritten(pending) : thrown;
    }
  });
}

/** Whether a path still names an open file, and not that of another process. The number of an open file becomes no other one's. */
export function isAt(path: string, fd: number): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino;
}

/** The error where two processes write a backup of the same name. */
export function beingWritten(pending: string): HkctlError {
  return new HkctlError('state_forbids', `Another hkctl is writing a backup to ${pending}; this one wrote nothing.`, {
    hint: 'Wait until it has ended, or give another name.',
  });
}

function notOurs(pending: string): HkctlError {
  return new HkctlError('state_forbids', `${pending} is there already, and is not a backup; nothing was written.`, {
    hint: 'A backup is written under that name first: move the file away.',
  });
}

/** The number in its series of the complete backup in an open file, 0 without one; undefined where it does not begin like a backup. */
export function numberOfWhole(fd: number): number | undefined {
  const header = Buffer.alloc(100);
  if (readSync(fd, header, 0, header.length, 0) < header.length) return undefined;
  const isWhole =
    header.subarray(0, sqliteMagic.length).equals(sqliteMagic) && header.readUInt32BE(applicationIdAt) === marks.whole;
  return isWhole ? header.readUInt32BE(userVersionAt) : undefined;
}

/** The first bytes of every SQLite database. */
export const sqliteMagic = Buffer.from('SQLite format 3\0');
/** Offset of `application_id` in the header of a database. */
const applicationIdAt = 68;
/** Offset of `user_version` in the header of a database, which holds the number of a backup in its series. */
export const userVersionAt = 60;
/** Offset of the format versions for writing and reading in the header of a database; both are 1 without a log (WAL). */
export const formatVersionsAt = 18;
export const rollbackFormat = 0x01_01;

/** Runs something on the file that a person named; a fault of its path is `bad_input`, not a fault of the store. */
export function translatingTarget<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw unwritable(file, thrown) ?? toDomainError(thrown, file);
  }
}
