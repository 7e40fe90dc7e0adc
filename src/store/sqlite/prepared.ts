import { existsSync, renameSync, rmSync } from 'node:fs';
import { HkctlError } from '../../core/errors.ts';
import { syncFolderOf } from '../archive/rows.ts';
import { translating } from '../sqlite-database/errors.ts';
import { databaseNames } from '../sqlite-database/schema/migrated-schema.ts';
import { filesOf } from './connection/files.ts';
import { holdFromDaemons } from './connection/locks.ts';

/** The paths at which a restore builds the new store: the store, and a file that marks it as complete. */
export function preparedPath(path: string): { store: string; ready: string } {
  const stem = path.endsWith('.db') ? path.slice(0, -3) : path;
  return { store: `${stem}.restored.db`, ready: `${stem}.restored.ready` };
}

/** How long to wait for another process that completes the same restore, which only renames files. */
const waitMs = 10_000;

/** Completes a restore that was killed after its new store was complete; costs one `stat` if there is none. */
export function finishRestore(path: string): void {
  if (!existsSync(preparedPath(path).ready)) return;
  // The restore has this lock until it has ended. A second process would delete the log of the database that the first one uses.
  const release = holdFromDaemons(filesOf(path).daemons, waitMs);
  if (!release) {
    throw new HkctlError('store_locked', `The store ${path} is locked by a restore.`, {
      hint: 'Try again once it has ended.',
    });
  }
  try {
    putInPlace(path);
  } finally {
    release();
  }
}

/** Replaces a store by the one that is prepared and complete, if there is one. Daemons are locked out meanwhile. */
export function putInPlace(path: string): void {
  const { store, ready } = preparedPath(path);
  if (!existsSync(ready)) return;
  const from = filesOf(store);
  const to = filesOf(path);
  translating(path, () => {
    for (const name of databaseNames) {
      if (!existsSync(from[name])) continue;
      // SQLite would read the log of the old database as that of the new one.
      for (const kept of ['-wal', '-shm', '-journal']) rmSync(`${to[name]}${kept}`, { force: true });
      renameSync(from[name], to[name]);
    }
    syncFolderOf(path);
    rmSync(ready);
    syncFolderOf(path);
  });
}
