import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../core/errno.ts';
import { HkctlError, isHkctlError } from '../../core/errors.ts';
import { pathFaults } from '../../core/files.ts';
import { outcomeUnknown } from '../engine/refusals.ts';

/** Runs something on the driver and converts its errors to the domain's (contract, exit code 6). */
export function translating<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw toDomainError(thrown, path);
  }
}

/** The domain's error for one of the driver or the file system; other errors are returned unchanged. */
export function toDomainError(thrown: unknown, path: string): unknown {
  if (isHkctlError(thrown)) return thrown;
  const code = errnoOf(thrown);
  if (code === undefined) return thrown;
  const options = (hint: string) => ({ hint, cause: thrown });
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return new HkctlError(
      'store_locked',
      `The store ${path} is locked by another process.`,
      options('Try again; if it stays so, look for a hanging hkctl with: fuser -v STORE'),
    );
  }
  // Rolled back for every process that is there; but the log may hold all of it, and SQLite would find it there after a crash.
  if (/^SQLITE_IOERR_(DIR_)?FSYNC$/.test(code))
    return outcomeUnknown(`the disk of the store ${path} failed at its commit`, thrown);
  if (/^SQLITE_FULL|^SQLITE_IOERR_(WRITE|SHMSIZE|TRUNCATE)|^ENOSPC|^EDQUOT|^EFBIG/.test(code)) {
    return new HkctlError(
      'store_full',
      `The disk of ${path} is full or failing; this change was not made.`,
      options('Free space on its file system and try again.'),
    );
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code) || isStrangeFormat(thrown, code)) {
    return new HkctlError(
      'store_corrupt',
      `The store ${path} is damaged, or is not a store of hkctl.`,
      options('Keep the files as they are and go back to your last backup.'),
    );
  }
  if (/^SQLITE_IOERR|^EIO$/.test(code)) {
    return new HkctlError(
      'store_unreadable',
      `The disk of the store ${path} fails (${code}).`,
      options('Look for disk errors in the log of the system; if they stay, restore a backup on another disk.'),
    );
  }
  const fault = /^(ELOOP|EISDIR|ENOTDIR|ENAMETOOLONG|EROFS)$/.test(code) ? pathFaults[code] : undefined;
  if (fault !== undefined) {
    return new HkctlError(
      'store_unreadable',
      `The store ${path} cannot be used: ${fault}.`,
      options('Name another with --store PATH or HKCTL_STORE.'),
    );
  }
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)|^(EACCES|EPERM|ENOENT)$/.test(code)) {
    return new HkctlError(
      'store_unreadable',
      `The store ${path} cannot be opened or written by this account.`,
      options(`${ownership(path)}Run hkctl as the account that owns the store, or name another with --store.`),
    );
  }
  if (/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)/.test(code)) {
    return new HkctlError('duplicate', `There is ${takenBy(columnsOf(thrown))} already.`, {
      hint: 'Give another, or list what is there.',
      cause: thrown,
    });
  }
  if (/^SQLITE_CONSTRAINT_FOREIGNKEY/.test(code)) {
    return new HkctlError(
      'state_forbids',
      'Something this refers to was removed meanwhile; nothing was changed.',
      options('Look at what is left and try again.'),
    );
  }
  return thrown;
}

/** Who this is and whose the folder is, by numbers, since an account in a container may have no name; empty if that is hidden. */
function ownership(path: string): string {
  const uid = process.geteuid?.();
  const folder = dirname(path);
  const stats = statsOf(folder);
  return stats && uid !== undefined ? `This is uid ${uid}, and ${folder} belongs to uid ${stats.uid}. ` : '';
}

function statsOf(folder: string): Stats | undefined {
  try {
    return statSync(folder, { throwIfNoEntry: false });
  } catch (thrown) {
    // What is being reported matters more.
    if (errnoOf(thrown) === undefined) throw thrown;
    return undefined;
  }
}

/** For a forged header and a schema that is not ours SQLite has no error code of its own, only the text of the message. */
function isStrangeFormat(thrown: unknown, code: string): boolean {
  const isStrange =
    /unsupported file format|must use the same text encoding|no such (?:table|column)|has no column|already exists|malformed/;
  return code === 'SQLITE_ERROR' && thrown instanceof Error && isStrange.test(thrown.message);
}

function takenBy(columns: string): string {
  return taken[columns] ?? `one with the same ${columns}`;
}

/** Names of the columns that must be unique, as messages use them. */
const taken: Readonly<Record<string, string>> = {
  'users.login': 'a user profile with this login',
  'entities.tenant_id, entities.code': 'an entity with this code',
  'keys.prefix': 'a key with this prefix',
};

function columnsOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : '';
  return message.replace(/^.*constraint failed: /, '') || 'a value that must be unique';
}
