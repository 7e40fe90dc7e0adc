import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../../core/errno.ts';
import { isHkctlError } from '../../core/errors.ts';
import { pathFaults } from '../../core/files.ts';
import { errorOfFault, type Meaning, outcomeUnknown } from '../shared/errors.ts';

/** Runs something on the driver and converts its errors to the domain's (promise 3.1). */
export function translating<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw toDomainError(thrown, path);
  }
}

/** The domain's error for one of the driver or the file system; other errors are returned unchanged. */
export function toDomainError(thrown: unknown, path: string): unknown {
  const code = errnoOf(thrown);
  if (code === undefined || isHkctlError(thrown)) return thrown;
  // Rolled back for every process that is there; but the log may hold all of it, and SQLite would find it there after a crash.
  if (/^SQLITE_IOERR_(DIR_)?FSYNC$/.test(code))
    return outcomeUnknown(`the disk of the store ${path} failed at its commit`, thrown);
  const message = thrown instanceof Error ? thrown.message : '';
  const isStrange = code === 'SQLITE_ERROR' && strangeFormat.test(message);
  const isReadOnly = refused.test(code) && isOnReadOnlySystem(path);
  const knownCode = isReadOnly ? 'EROFS' : isStrange ? 'SQLITE_CORRUPT' : code;
  const fault = { code: knownCode, place: placeOf(code, message, path) };
  return errorOfFault(meanings, fault, path, thrown) ?? thrown;
}

/** For a forged header and a schema that is not ours SQLite has no error code of its own, only the text of the message. */
const strangeFormat =
  /unsupported file format|must use the same text encoding|no such (?:table|column)|has no column|already exists|malformed/;

const constraintFailed = /^.*constraint failed: /;
const wrongPath = /^(ELOOP|EISDIR|ENOTDIR|ENAMETOOLONG)$/;
const refused = /^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)|^(EACCES|EPERM|EROFS)$/;

/** The columns of a constraint, what is wrong with a path, or whose the store is. */
function placeOf(code: string, message: string, path: string): string {
  if (constraintFailed.test(message)) return message.replace(constraintFailed, '');
  return (wrongPath.test(code) ? pathFaults[code] : undefined) ?? ownership(path);
}

const another = 'Give another, or list what is there.';

// biome-ignore format: a table, one line for each meaning
const meanings: readonly Meaning[] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'store_locked', 'The store {store} is locked by another process.', 'Try again; if it stays so, look for a hanging hkctl with: fuser -v STORE'],
  [/^SQLITE_FULL|^SQLITE_IOERR_(WRITE|SHMSIZE|TRUNCATE)|^ENOSPC|^EDQUOT|^EFBIG/, 'store_full', 'The disk of {store} is full or failing; this change was not made.', 'Free space on its file system and try again.'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'store_corrupt', 'The store {store} is damaged, or is not a store of hkctl.', 'Keep the files as they are and go back to your last backup.'],
  [/^SQLITE_IOERR|^EIO$/, 'store_unreadable', 'The disk of the store {store} fails ({code}).', 'Look for disk errors in the log of the system; if they stay, restore a backup on another disk.'],
  [wrongPath, 'store_unreadable', 'The store {store} cannot be used: {place}.', 'Name another with --store PATH or HKCTL_STORE.'],
  [/^EROFS$/, 'store_unreadable', 'The store {store} is on a read-only file system.', 'Mount it writable, or run the command where the daemon runs.'],
  [/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)|^(EACCES|EPERM|ENOENT)$/, 'store_unreadable', 'The store {store} cannot be opened or written by this account.', '{place}Run hkctl as the account that owns the store, or name another with --store.'],
  [/^SQLITE_CONSTRAINT_\w+ users\.login$/, 'duplicate', 'There is a user profile with this login already.', another],
  [/^SQLITE_CONSTRAINT_\w+ entities\.tenant_id, entities\.code$/, 'duplicate', 'There is an entity with this code already.', another],
  [/^SQLITE_CONSTRAINT_\w+ keys\.prefix$/, 'duplicate', 'There is a key with this prefix already.', another],
  [/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)/, 'duplicate', 'There is one with the same {place} already.', another],
  [/^SQLITE_CONSTRAINT_FOREIGNKEY/, 'state_forbids', 'Something this refers to was removed meanwhile; nothing was changed.', 'Look at what is left and try again.'],
];

/** Whether a file system refuses every account: the system then says so before it looks at rights. */
function isOnReadOnlySystem(path: string): boolean {
  return [path, dirname(path)].some((place) => {
    try {
      accessSync(place, constants.W_OK);
      return false;
    } catch (thrown) {
      return errnoOf(thrown) === 'EROFS';
    }
  });
}

/** Who this is and whose the store is, by numbers, since an account in a container may have no name; empty if that is hidden. */
function ownership(path: string): string {
  const account = process.geteuid?.();
  const folder = dirname(path);
  try {
    const isFolderForeign = statSync(folder).uid !== account;
    const place = isFolderForeign ? folder : (foreignFile(path, account) ?? folder);
    return `This is uid ${account}, and ${place} belongs to uid ${statSync(place).uid}. `;
  } catch (thrown) {
    // What is being reported matters more.
    if (errnoOf(thrown) === undefined) throw thrown;
    return '';
  }
}

/** A file of the store that belongs to another account, such as one that root copied there. */
function foreignFile(path: string, account: number | undefined): string | undefined {
  const folder = dirname(path);
  const stem = basename(path, '.db');
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${stem}.`))
    .map((name) => join(folder, name))
    .find((file) => statSync(file).uid !== account);
}
