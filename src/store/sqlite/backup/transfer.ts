import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import type { BackupFacts } from '../../../core/operations/backups.ts';
import { noBackup } from '../../backup-file/backup-file.ts';
import { readBackupHead } from '../../backup-file/backup-head.ts';
import {
  beingWritten,
  createPending,
  isAt,
  isMarkedWhole,
  removeLeftover,
  requireFreeTarget,
  requireNoLink,
  requireOnlyLeftover,
  translatingTarget,
} from '../../backup-file/backup-target.ts';
import { pendingOf } from '../../backup-file/verified-backup.ts';
import type { StoreOptions, WithOwn } from '../../engine.ts';
import { openDatabase } from '../connection/driver.ts';
import { toDomainError, translating } from '../connection/errors.ts';
import { isCode, makeFolder } from '../connection/files.ts';
import { requireOwnFile } from '../connection/safe-files.ts';
import { syncFolderOf } from '../restore/prepared.ts';
import type { BackupSource } from '../restore/restoration.ts';
import { requireElsewhere } from './own-files.ts';

/**
 * Backups and restores by root on the store of another account. SQLite opens files by name, and here with the rights of the
 * store's owner. So the backup is written (or read) in a folder beside the store, and copied to (or from) the file that root
 * has named through a descriptor, which alone is opened with root's rights.
 */

/** Writes a backup with `write`, which creates a new file of a given name, and copies it to `target` with the admin's rights. */
export async function backupForAdmin(
  path: string,
  target: string,
  { force, withOwn }: { force: boolean; withOwn: WithOwn },
  write: (file: string) => Promise<BackupFacts>,
): Promise<BackupFacts> {
  const pending = pendingOf(target);
  const check = () => {
    requireFreeTarget(target, force);
    for (const file of [target, pending]) requireElsewhere(file, path);
    requireNoLink(target);
    requireOnlyLeftover(pending);
  };
  // Before the long part, so that a wrong path is reported at once.
  withOwn(check);
  return inTransferFolder(path, async (folder) => {
    const made = join(folder, 'backup');
    const facts = await write(made);
    const from = translating(path, () => openSync(made, constants.O_RDONLY | constants.O_NOFOLLOW));
    try {
      const create = () => {
        check();
        removeLeftover(pending);
        return createPending(pending);
      };
      const to = withOwn(create);
      try {
        translatingTarget(pending, () => copyAll(from, to));
        fsyncSync(to);
        withOwn(() => putInPlace({ to, pending, target, force }));
      } catch (thrown) {
        withOwn(() => {
          // Whatever it was, the file of another process is not ours to remove.
          if (!isAt(pending, to)) throw beingWritten(pending);
          rmSync(pending, { force: true });
        });
        throw thrown;
      } finally {
        closeSync(to);
      }
    } finally {
      closeSync(from);
    }
    withOwn(() => translatingTarget(target, () => syncFolderOf(target)));
    return facts;
  });
}

/** Gives the complete file its name. Throws where the file is another one's by now, or another process has finished one of that name. */
function putInPlace({
  to,
  pending,
  target,
  force,
}: {
  to: number;
  pending: string;
  target: string;
  force: boolean;
}): void {
  translatingTarget(target, () => {
    if (!isAt(pending, to)) throw beingWritten(pending);
    requireFreeTarget(target, force);
    renameSync(pending, target);
  });
}

/** A backup that the admin has named; when it is used, it is copied to a file that the owner of the store can read. */
export function backupOfAdmin(
  path: string,
  file: string,
  withOwn: WithOwn,
  { migrationsFolder }: Pick<StoreOptions, 'migrationsFolder'>,
): BackupSource {
  return {
    head: () => withOwn(() => readBackupHead(file, migrationsFolder)),
    async use(work) {
      const from = withOwn(() => openBackupFile(file));
      try {
        return await inTransferFolder(path, async (folder) => {
          const copy = join(folder, 'backup');
          translating(path, () => {
            const to = openSync(copy, 'wx', 0o600);
            try {
              copyAll(from, to);
            } finally {
              closeSync(to);
            }
          });
          return await naming(copy, file, () => work(copy));
        });
      } finally {
        closeSync(from);
      }
    },
  };
}

function openBackupFile(file: string): number {
  let fd: number;
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    const isLink = found?.isSymbolicLink() === true;
    if (isLink && found.uid !== 0)
      throw new HkctlError('bad_input', `${file} is a link that the account ${found.uid} has made.`);
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | (isLink ? 0 : constants.O_NOFOLLOW));
  } catch (thrown) {
    if (isHkctlError(thrown)) throw thrown;
    if (isCode(thrown, 'ENOENT')) throw new HkctlError('bad_input', `There is no file ${file}.`);
    const why = isCode(thrown, 'EACCES') ? 'this account may not read it' : String(thrown);
    throw new HkctlError('bad_input', `${file} cannot be read: ${why}.`, { cause: thrown });
  }
  const stats = fstatSync(fd);
  // Root can read any file, and the copy belongs to the other account: only backups may be copied.
  if (stats.isFile() && isMarkedWhole(fd)) return fd;
  closeSync(fd);
  if (stats.isFile()) throw noBackup(file);
  throw new HkctlError('bad_input', `${file} is ${stats.isDirectory() ? 'a folder' : 'no plain file'}, and no backup.`);
}

/** Makes errors name the file that a person knows, not its copy. */
async function naming<T>(copy: string, file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = toDomainError(thrown, file);
    if (!isHkctlError(error) || !error.message.includes(copy)) throw error;
    const { code, hint, details } = error;
    throw new HkctlError(code, error.message.replaceAll(copy, file), { hint, details, cause: thrown });
  }
}

/** How long to wait for another transfer, which may copy gigabytes: worth it only for one that is about to end. */
const waitMs = 5000;

/**
 * Runs something in a locked folder beside the store for temporary files, after it has removed what a killed process left
 * there. Throws `state_forbids` while another process uses it.
 */
async function inTransferFolder<T>(path: string, work: (folder: string) => Promise<T>): Promise<T> {
  const stem = path.endsWith('.db') ? path.slice(0, -3) : path;
  const folder = `${stem}.transfer`;
  const lockFile = join(folder, 'lock');
  const lock = translating(path, () => {
    makeFolder(folder);
    if (!existsSync(lockFile))
      closeSync(openSync(lockFile, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
    requireOwnFile(lockFile);
    return openDatabase(lockFile, { timeout: waitMs, fileMustExist: true });
  });
  const clear = () => {
    for (const name of ['backup', 'backup.new']) rmSync(join(folder, name), { force: true });
  };
  try {
    try {
      lock.exec('begin exclusive');
    } catch (thrown) {
      if (!isCode(thrown, 'SQLITE_BUSY')) throw thrown;
      throw new HkctlError(
        'state_forbids',
        `Another process of root backs up or restores the store ${path}; nothing was changed.`,
        {
          hint: 'Wait until it has ended.',
          cause: thrown,
        },
      );
    }
    translating(path, clear);
    try {
      return await work(folder);
    } finally {
      clear();
    }
  } finally {
    lock.close();
  }
}

const pieceBytes = 1 << 20;

function copyAll(from: number, to: number): void {
  const piece = Buffer.allocUnsafe(pieceBytes);
  for (
    let read = readSync(from, piece, 0, pieceBytes, null);
    read > 0;
    read = readSync(from, piece, 0, pieceBytes, null)
  ) {
    for (let rest = piece.subarray(0, read); rest.length > 0; ) rest = rest.subarray(writeSync(to, rest));
  }
}
