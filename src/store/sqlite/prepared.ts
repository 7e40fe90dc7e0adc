import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { syncFolderOf } from '../archive/rows.ts';
import { type Connection, openDatabase } from '../sqlite-database/driver.ts';
import { translating } from '../sqlite-database/errors.ts';
import { databaseNames } from '../sqlite-database/schema/migrated-schema.ts';
import { isEmpty } from '../sqlite-database/schema/schema-versions.ts';
import { filesOf, openFile, writeAhead } from './connection/files.ts';
import { requireOwnFile } from './connection/safe-files.ts';
import { requireStorePath } from './connection/store-path.ts';

/** The paths at which a restore builds the new store: the store, and a file that marks it as complete. */
export function preparedPath(path: string): { store: string; ready: string } {
  const stem = path.endsWith('.db') ? path.slice(0, -3) : path;
  return { store: `${stem}.restored.db`, ready: `${stem}.restored.ready` };
}

/** How long to wait for another process that completes the same restore, which only renames files. */
const waitMs = 10_000;

/**
 * Completes an interrupted restore if there is one and opens the registry of the store at a path. It stays the one at that
 * path while it is open, since no process replaces a store that another one has open. Undefined if it is empty.
 */
export function openPresent(path: string, busyTimeoutMs: number | undefined): Connection | undefined {
  requireStorePath(path);
  for (;;) {
    finishRestore(path);
    const inode = inodeOf(path);
    const registry = openFile(path, { busyTimeoutMs });
    let isHeld = false;
    try {
      // Waits for a process that is replacing the store right now; the opened one is the old store then.
      const isUnfinished = isEmpty(registry, path);
      if (inodeOf(path) !== inode || inodeOf(preparedPath(path).ready) !== undefined) continue;
      if (isUnfinished) return undefined;
      // A killed restore may have left the old store without WAL.
      translating(path, () => writeAhead(registry));
      isHeld = true;
      return registry;
    } finally {
      if (!isHeld) registry.close();
    }
  }
}

/** Completes a restore whose new store is marked as complete; costs one `stat` if there is none. */
export function finishRestore(path: string): void {
  const { ready } = preparedPath(path);
  translating(path, () => {
    // One process at a time: a second one would delete the log of the database that the first one put in place and uses.
    for (let inode = inodeOf(ready); inode !== undefined; inode = inodeOf(ready)) {
      requireOwnFile(ready);
      const lock = lockFile(ready, inode, waitMs);
      try {
        if (lock) putInPlace(path);
      } finally {
        lock?.close();
      }
    }
  });
}

/**
 * Locks an empty file, which is an empty database, until the connection is closed or the process ends. Undefined if that
 * file is gone or replaced: the holder of the lock has removed it, and SQLite may fail with any error on what is left.
 */
function lockFile(file: string, inode: number, timeout: number): Connection | undefined {
  let lock: Connection | undefined;
  try {
    lock = openDatabase(file, { timeout, fileMustExist: true });
    lock.exec('begin exclusive');
    if (inodeOf(file) === inode) return lock;
  } catch (thrown) {
    if (inodeOf(file) === inode) {
      lock?.close();
      throw thrown;
    }
  }
  lock?.close();
  return undefined;
}

function inodeOf(file: string): number | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.ino;
}

function putInPlace(path: string): void {
  const { store, ready } = preparedPath(path);
  const from = filesOf(store);
  const to = filesOf(path);
  for (const name of databaseNames) {
    if (!existsSync(from[name])) continue;
    // SQLite would read the log of the old database as that of the new one.
    for (const kept of ['-wal', '-shm', '-journal']) rmSync(`${to[name]}${kept}`, { force: true });
    renameSync(from[name], to[name]);
  }
  syncFolderOf(path);
  rmSync(ready);
  syncFolderOf(path);
}
