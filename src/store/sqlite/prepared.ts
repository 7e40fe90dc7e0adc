import { existsSync, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { errnoOf } from '../../core/errno.ts';
import { HkctlError } from '../../core/errors.ts';
import { syncFolderOf } from '../../core/files/new-file.ts';
import { translating } from '../sqlite-file/errors.ts';
import { databaseNames } from '../sqlite-file/schema/migrated-schema.ts';
import { filesOf, removeSidecars } from './connection/files.ts';
import { holdFromDaemons } from './connection/locks.ts';

/** How long to wait for another process that completes the same restore, which only renames files. */
const restoreWaitMs = 10_000;

/**
 * Completes a restore that was killed once its new store was complete. `store_unreadable` (exit 6) for a path that cannot hold a
 * database, such as a folder.
 */
export function finishRestore(storePath: string): void {
  requireStorePath(storePath);
  if (!existsSync(filesOf(storePath).ready)) return;

  // The restore has this lock until it has ended. A second process would delete the log of the database that the first one uses.
  const release = holdFromDaemons(filesOf(storePath).daemons, restoreWaitMs);
  if (!release) {
    throw new HkctlError('store_locked', `The store ${storePath} is locked by a restore.`, {
      hint: 'Try again once it has ended.',
    });
  }
  try {
    putInPlace(storePath);
  } finally {
    release();
  }
}

/** Replaces a store by the one that is prepared and complete, if there is one. Daemons are locked out meanwhile. */
export function putInPlace(storePath: string): void {
  const storeFiles = filesOf(storePath);
  const { ready } = storeFiles;
  if (!existsSync(ready)) return;

  const preparedFiles = filesOf(storeFiles.restored);
  translating(storePath, () => {
    for (const name of databaseNames) {
      if (!existsSync(preparedFiles[name])) continue;
      removeSidecars(storeFiles[name]);
      renameSync(preparedFiles[name], storeFiles[name]);
    }
    syncFolderOf(storePath);
    rmSync(ready);
    syncFolderOf(storePath);
  });
}

function requireStorePath(storePath: string): void {
  const stats = translating(storePath, () => statIfThere(storePath));
  if (!stats || stats.isFile()) return;
  const obstacle = stats.isDirectory() ? 'a folder' : 'no ordinary file';
  throw new HkctlError(
    'store_unreadable',
    `${storePath} is ${obstacle}, which cannot be a store.`,
    {
      hint: 'Name the file of the store with --store PATH or HKCTL_STORE.',
    },
  );
}

/** From version 24 on, `throwIfNoEntry: false` also hides ENOTDIR, a file in place of a folder. */
function statIfThere(storePath: string): Stats | undefined {
  try {
    return statSync(storePath);
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
