import { existsSync, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { errnoOf, HkctlError } from '../../core/errors.ts';
import { syncFolderOf } from '../../core/files/new-file.ts';
import type { Store } from '../../core/port/store.ts';
import type { StoreOptions } from '../shared/options.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import {
  databaseNames,
  isEmpty,
  requireSchemaVersion,
} from '../sqlite-file/schema/schema-versions.ts';
import { filesOf, openFile, removeSidecars, writeAhead } from './connection/files.ts';
import { holdFromDaemons } from './connection/locks.ts';
import { Reserve } from './connection/reserve.ts';
import { createRegistry } from './registry/registry.ts';
import { completeJournal, stopAgain } from './revocation-replay.ts';
import { createSqliteStore } from './store.ts';

/**
 * Opens an existing store of this version: `store_absent`, `store_too_old`, `store_corrupt` … (exit 6). Before anything
 * else the stops are made again that only the revocation journal has.
 */
export function openStore(path: string, options: StoreOptions): Store {
  // Before SQLite makes one.
  const hadLog = existsSync(`${path}-wal`);
  const reserve = new Reserve(filesOf(path).reserve, path);
  const requireCurrent = (registry: Connection) => requireSchemaVersion(registry, 'registry', path);
  // SQLite creates files when a database is opened that no other process has open.
  const connection = reserve.withRoom(() =>
    openRegistry(path, requireCurrent, options.busyTimeoutMs),
  );
  try {
    const registry = createRegistry(connection, path, reserve);
    return createSqliteStore(path, connection, {
      ...options,
      reserve,
      stoppedAgain: stopAgain(registry, path, { ...options, hadLog }),
      beforeClose: () => completeJournal(registry, path, options),
    });
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

/** The registry stays the one at its path while it is open, since no process replaces a store that another one has open. */
export function openRegistry(
  path: string,
  check: (registry: Connection) => void = () => {},
  busyTimeoutMs?: number,
): Connection {
  const inodeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino;
  for (;;) {
    finishRestore(path);
    const inode = inodeOf(path);
    const registry = openFile(path, { busyTimeoutMs });
    let isHeld = false;
    try {
      // Waits for a process that is replacing the store right now; the opened one is the old store then.
      const isUnfinished = isEmpty(registry, path);
      if (inodeOf(path) !== inode || inodeOf(filesOf(path).ready) !== undefined) continue;
      if (isUnfinished) {
        throw new HkctlError(
          'store_absent',
          `The store at ${path} was never finished; it is empty.`,
          {
            hint: 'Make it with: hkctl init',
          },
        );
      }
      // A killed restore may have left the old store without WAL.
      translating(path, () => writeAhead(registry));
      check(registry);
      isHeld = true;
      return registry;
    } finally {
      if (!isHeld) registry.close();
    }
  }
}

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
