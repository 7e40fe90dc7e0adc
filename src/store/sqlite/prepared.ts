import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Connection, openDatabase } from './driver.ts';
import { translating } from './errors.ts';
import { databaseNames, filesOf } from './files.ts';

/** The path at which a store that is being restored is put together; the file beside it says that it is whole. */
export function preparedPath(path: string): { store: string; ready: string } {
  const stem = path.endsWith('.db') ? path.slice(0, -3) : path;
  return { store: `${stem}.restored.db`, ready: `${stem}.restored.ready` };
}

/** How long to wait for another process that ends the same restore: it only renames files. */
const waitMs = 10_000;

/** Ends a restore that was decided and not ended; costs one look where there is none. */
export function finishRestore(path: string): void {
  const { ready } = preparedPath(path);
  if (!existsSync(ready)) return;
  translating(path, () => {
    // One process at a time: a second one would delete the log of the database that the first has put in place and uses.
    // The system gives up the lock of one that is killed. An empty file is an empty database, and so can be locked.
    for (let inode = inodeOf(ready); inode !== undefined; inode = inodeOf(ready)) {
      const lock = openLock(ready);
      if (lock === undefined) continue;
      try {
        lock.exec('begin exclusive');
        // Where it is another file by now, or none, that restore was ended meanwhile.
        if (inodeOf(ready) === inode) putInPlace(path);
      } finally {
        lock.close();
      }
    }
  });
}

/** Undefined where the file was removed a moment ago. */
function openLock(file: string): Connection | undefined {
  try {
    return openDatabase(file, { timeout: waitMs, fileMustExist: true });
  } catch (thrown) {
    if (existsSync(file)) throw thrown;
    return undefined;
  }
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
