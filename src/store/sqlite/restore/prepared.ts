import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { HkctlError } from '../../../core/errors.ts';
import { type Connection, openDatabase } from '../connection/driver.ts';
import { translating } from '../connection/errors.ts';
import { databaseNames, filesOf, isCode, makeFolder, openFile, writeAhead } from '../connection/files.ts';
import { openSmallFile, requireOwnFile } from '../connection/safe-files.ts';
import { requireStorePath } from '../connection/store-path.ts';
import { isEmpty } from '../schema/schema-versions.ts';

/** The path at which a store that is being restored is put together; of the files beside it one says that it is whole. */
export function preparedPath(path: string): { store: string; ready: string; lock: string } {
  const stem = path.endsWith('.db') ? path.slice(0, -3) : path;
  return { store: `${stem}.restored.db`, ready: `${stem}.restored.ready`, lock: `${stem}.restored.lock` };
}

/** How long to wait for another process that ends the same restore: it only renames files. */
const waitMs = 10_000;

/**
 * Opens the registry of the store at a path, a restore ended that was decided and not ended. It stays the one at that path
 * as long as it is open, since nobody replaces a store that another process has open. Undefined where it is empty.
 */
export function openPresent(path: string, busyTimeoutMs: number): Connection | undefined {
  requireStorePath(path);
  for (;;) {
    finishRestore(path);
    const inode = inodeOf(path);
    const registry = openFile(path, { busyTimeoutMs, create: false });
    let isHeld = false;
    try {
      // Waits for a process that is replacing the store right now; what was opened is the old one then.
      const isUnfinished = isEmpty(registry, path);
      if (inodeOf(path) !== inode || inodeOf(preparedPath(path).ready) !== undefined) continue;
      if (isUnfinished) return undefined;
      // A restore that was killed on its way may have left the old store without a log.
      translating(path, () => writeAhead(registry, busyTimeoutMs));
      isHeld = true;
      return registry;
    } finally {
      if (!isHeld) registry.close();
    }
  }
}

/** Ends a restore that was decided and not ended; costs one look where there is none. */
export function finishRestore(path: string): void {
  const { ready } = preparedPath(path);
  translating(path, () => {
    // One process at a time: a second one would delete the log of the database that the first has put in place and uses.
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
 * Keeps other restores away from the files at which a store is put together, until what is given is called or the process
 * is killed. Throws `state_forbids` while another one does so.
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
 * Locks an empty file, which is an empty database, until the connection is closed or the process is killed. Undefined where
 * that file is gone or another one: whoever had the lock has removed it, and SQLite may fail in any way on what is left.
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
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

function putInPlace(path: string): void {
  const { store, ready } = preparedPath(path);
  const from = filesOf(store);
  const to = filesOf(path);
  for (const name of databaseNames) {
    if (!existsSync(from[name])) continue;
    // What SQLite kept beside the old database would be taken for the new one's.
    for (const kept of ['-wal', '-shm', '-journal']) rmSync(`${to[name]}${kept}`, { force: true });
    renameSync(from[name], to[name]);
  }
  syncFolderOf(path);
  rmSync(ready);
  syncFolderOf(path);
}

/** Brings the names in a file's folder to the disk. */
export function syncFolderOf(file: string): void {
  const fd = openSync(dirname(file), 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
