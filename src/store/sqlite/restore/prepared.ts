import { closeSync, existsSync, fsyncSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { HkctlError } from '../../../core/errors.ts';
import { type Connection, openDatabase } from '../connection/driver.ts';
import { translating } from '../connection/errors.ts';
import { databaseNames, filesOf, isCode, makeFolder, openFile, writeAhead } from '../connection/files.ts';
import { openSmallFile, requireOwnFile } from '../connection/safe-files.ts';
import { requireStorePath } from '../connection/store-path.ts';
import { isEmpty } from '../schema/schema-versions.ts';

/** The paths at which a restore builds the new store: the store, a file that marks it as complete, and a lock. */
export function preparedPath(path: string): { store: string; ready: string; lock: string } {
  const stem = path.endsWith('.db') ? path.slice(0, -3) : path;
  return { store: `${stem}.restored.db`, ready: `${stem}.restored.ready`, lock: `${stem}.restored.lock` };
}

/** How long to wait for another process that completes the same restore, which only renames files. */
const waitMs = 10_000;

/**
 * Completes an interrupted restore if there is one and opens the registry of the store at a path. It stays the one at that
 * path while it is open, since no process replaces a store that another one has open. Undefined where it is empty.
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

/** Completes a restore whose new store is marked as complete; costs one `stat` where there is none. */
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
 * Locks other restores out of the files at which the new store is built, until the returned function is called or the
 * process ends. Throws `state_forbids` while another restore holds the lock.
 */
export function holdRestore(path: string): () => void {
  const { lock: file } = preparedPath(path);
  return translating(file, () => {
    makeFolder(dirname(file));
    for (;;) {
      closeSync(openSmallFile(file, 'append'));
      const inode = inodeOf(file);
      const lock = inode === undefined ? undefined : lockOfRestore(file, inode, path);
      if (!lock) continue;
      return () => {
        rmSync(file, { force: true });
        lock.close();
      };
    }
  });
}

function lockOfRestore(file: string, inode: number, path: string): Connection | undefined {
  try {
    return lockFile(file, inode, 0);
  } catch (thrown) {
    if (!isCode(thrown, 'SQLITE_BUSY')) throw thrown;
    throw new HkctlError(
      'state_forbids',
      `Another process restores the store ${path} right now; nothing was changed.`,
      {
        hint: 'Wait until it has ended.',
        cause: thrown,
      },
    );
  }
}

/**
 * Locks an empty file, which is an empty database, until the connection is closed or the process ends. Undefined where that
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

/** Syncs the folder of a file, and so the names in it. */
export function syncFolderOf(file: string): void {
  const fd = openSync(dirname(file), 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
