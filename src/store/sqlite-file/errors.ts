import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf, isHkctlError } from '../../core/errors.ts';
import { modeText, pathFaults } from '../../core/files/path-faults.ts';
import { shellWord } from '../../core/text/quoting.ts';
import { errorOfFault, type Meaning, outcomeUnknown } from '../shared/errors.ts';

/** Runs something on the driver and converts its errors to the domain's (promise 3.1). */
export function translating<T>(path: string, operation: () => T): T {
  try {
    return operation();
  } catch (thrown) {
    throw toDomainError(thrown, path);
  }
}

/** The domain's error for one of the driver or the file system; other errors are returned unchanged. */
export function toDomainError(thrown: unknown, path: string): unknown {
  const code = errnoOf(thrown);
  if (code === undefined || isHkctlError(thrown)) return thrown;

  // Rolled back for every running process; but the log may hold all of it, and SQLite would find it there after a crash.
  if (/^SQLITE_IOERR_(DIR_)?FSYNC$/.test(code))
    return outcomeUnknown(`the disk of the store ${path} failed at its commit`, thrown);

  const message = thrown instanceof Error ? thrown.message : '';
  const driverFault = {
    code: exactCode(code, message, path),
    place: placeForMessage(code, message, path),
  };
  return errorOfFault(meanings, driverFault, path, thrown) ?? thrown;
}

/** A more exact code, where the driver's own stands for several faults. */
function exactCode(code: string, message: string, path: string): string {
  if (accessDenied.test(code) && isOnReadOnlySystem(path)) return 'EROFS';
  if (code === 'SQLITE_ERROR' && unknownFormat.test(message)) return 'SQLITE_CORRUPT';
  return code;
}

/** SQLite has no error code of its own for a forged header or a foreign schema, only the text of the message. */
const unknownFormat =
  /unsupported file format|must use the same text encoding|no such (?:table|column)|has no column|already exists|malformed/;

const constraintFailed = /^.*constraint failed: /;
const unusablePath = /^(ELOOP|EISDIR|ENOTDIR|ENAMETOOLONG)$/;
const accessDenied = /^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)|^(EACCES|EPERM|EROFS)$/;

/** The columns of a constraint, the fault of a path, or the owner of the store. */
function placeForMessage(code: string, message: string, path: string): string {
  if (constraintFailed.test(message)) return message.replace(constraintFailed, '');

  const pathFault = unusablePath.test(code) ? pathFaults[code] : undefined;
  return pathFault ?? ownershipAdvice(path);
}

const duplicateHint = 'Give another, or list what is there.';

// biome-ignore format: a table, one line for each meaning
const meanings: readonly Meaning[] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'store_locked', 'The store {store} is locked by another process.', 'Try again; if it stays so, look for a hanging hkctl with: fuser -v STORE'],
  [/^SQLITE_FULL|^SQLITE_IOERR_(WRITE|SHMSIZE|TRUNCATE)|^ENOSPC|^EDQUOT|^EFBIG/, 'store_full', 'The disk of {store} is full or failing; this change was not made.', 'Free space on its file system and try again.'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'store_corrupt', 'The store {store} is damaged, or is not a store of hkctl.', 'Keep the files as they are and go back to your last backup.'],
  [/^SQLITE_IOERR|^EIO$/, 'store_unreadable', 'The disk of the store {store} fails ({code}).', 'Look for disk errors in the log of the system; if they stay, restore a backup on another disk.'],
  [unusablePath, 'store_unreadable', 'The store {store} cannot be used: {place}.', 'Name another with --store PATH or HKCTL_STORE.'],
  [/^EROFS$/, 'store_unreadable', 'The store {store} is on a read-only file system.', 'Mount it writable, or run the command where the daemon runs.'],
  [/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)|^(EACCES|EPERM|ENOENT)$/, 'store_unreadable', 'The store {store} cannot be opened or written by this account.', '{place}'],
  [/^SQLITE_CONSTRAINT_\w+ users\.login$/, 'duplicate', 'There is a user profile with this login already.', duplicateHint],
  [/^SQLITE_CONSTRAINT_\w+ entities\.tenant_id, entities\.code$/, 'duplicate', 'There is an entity with this code already.', duplicateHint],
  [/^SQLITE_CONSTRAINT_\w+ keys\.prefix$/, 'duplicate', 'There is a key with this prefix already.', duplicateHint],
  [/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)/, 'duplicate', 'There is one with the same {place} already.', duplicateHint],
  [/^SQLITE_CONSTRAINT_FOREIGNKEY/, 'state_forbids', 'Something this refers to was removed meanwhile; nothing was changed.', 'Look at what is left and try again.'],
];

/** Whether a file system refuses every account: the system then reports that before it looks at permissions. */
function isOnReadOnlySystem(path: string): boolean {
  return [path, dirname(path)].some((checkedPath) => {
    try {
      accessSync(checkedPath, constants.W_OK);
      return false;
    } catch (thrown) {
      return errnoOf(thrown) === 'EROFS';
    }
  });
}

const useOwner = 'Run hkctl as the account that owns the store, or name another with --store.';

/** Advice about owners and modes of the store, by ids: an account in a container may have no name. */
function ownershipAdvice(path: string): string {
  const account = process.geteuid?.();
  const folder = dirname(path);
  try {
    const owner = statSync(folder).uid;
    if (owner !== account) return `${ownerFacts(account, folder, owner)} ${useOwner}`;

    const files = filesOfStore(path);
    const foreignPath = files.find((filePath) => statSync(filePath).uid !== account);
    if (foreignPath === undefined) return modeAdvice(folder, files);

    // SQLite makes the shared memory of the log anew; every other file holds data.
    const isMadeAnew = foreignPath.endsWith('-shm');
    const removal = isMadeAnew ? ', or remove it while no hkctl runs' : '';
    const facts = ownerFacts(account, foreignPath, statSync(foreignPath).uid);
    return `${facts} Run as root: chown ${account} ${shellWord(foreignPath)}${removal}`;
  } catch (thrown) {
    // The fault that is being reported matters more.
    if (errnoOf(thrown) === undefined) throw thrown;
    return useOwner;
  }
}

function ownerFacts(account: number | undefined, path: string, owner: number): string {
  return `This is uid ${account}, and ${path} belongs to uid ${owner}.`;
}

/** Advice for the owner of all files. */
function modeAdvice(folder: string, files: readonly string[]): string {
  const isClosed = (path: string) => (statSync(path).mode & 0o600) !== 0o600;
  const closedPath = [folder, ...files].find(isClosed);
  if (closedPath === undefined) {
    return 'Owner and modes allow it: look for a file that is immutable (lsattr), or a rule of SELinux or AppArmor.';
  }
  const mode = modeText(statSync(closedPath).mode);
  return `${closedPath} has mode ${mode}. Run: chmod u+rwX ${shellWord(closedPath)}`;
}

/** The files of the store that a file belongs to. */
function filesOfStore(path: string): string[] {
  const folder = dirname(path);
  const fileName = basename(path);
  const storeStem = fileName.replace(/(\.records|\.readings)?\.[^.]*$/, '');
  return readdirSync(folder)
    .filter(
      (name) =>
        name === fileName ||
        (/^[.-]/.test(name.slice(storeStem.length)) && name.startsWith(storeStem)),
    )
    .map((name) => join(folder, name));
}
