import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { translating } from './errors.ts';
import { databaseNames, filesOf } from './files.ts';

/** The path at which a store that is being restored is put together; the file beside it says that it is whole. */
export function preparedPath(path: string): { store: string; ready: string } {
  const stem = path.endsWith('.db') ? path.slice(0, -3) : path;
  return { store: `${stem}.restored.db`, ready: `${stem}.restored.ready` };
}

/** Ends a restore that was decided and not ended; costs one look where there is none. */
export function finishRestore(path: string): void {
  const { store, ready } = preparedPath(path);
  if (!existsSync(ready)) return;
  translating(path, () => {
    const from = filesOf(store);
    const to = filesOf(path);
    for (const name of databaseNames) {
      if (!existsSync(from[name])) continue;
      // What SQLite kept beside the old database would be taken for the new one's.
      for (const kept of ['-wal', '-shm']) rmSync(`${to[name]}${kept}`, { force: true });
      renameSync(from[name], to[name]);
    }
    syncFolderOf(path);
    rmSync(ready);
    syncFolderOf(path);
  });
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
