import { closeSync, constants, fstatSync, openSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BackupSeries, isBackupName } from '../../../core/operations/backups.ts';
import { isMarkedWhole, translatingTarget } from '../../backup-file/backup-target.ts';

/**
 * Removes the oldest backups of a series beyond the number to keep and returns their paths. Counts and removes only regular
 * files that have the name of a backup of this store and begin like one: everything else in the folder stays.
 */
export function removeOldBackups({ folder, storeId, newest, keep }: BackupSeries): string[] {
  const others = translatingTarget(folder, () => readdirSync(folder))
    .filter((name) => name !== basename(newest) && isBackupName(name, storeId))
    .map((name) => join(folder, name))
    .filter(isWholeBackup)
    .sort()
    .reverse();
  const old = others.slice(keep - 1);
  // Another backup of the series may have removed it just now.
  for (const file of old) translatingTarget(file, () => rmSync(file, { force: true }));
  return old;
}

/** Opens without following a link, and without waiting for the writer of a FIFO. */
function isWholeBackup(file: string): boolean {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // What cannot be opened is not known to be a backup.
    return false;
  }
  try {
    return fstatSync(fd).isFile() && isMarkedWhole(fd);
  } finally {
    closeSync(fd);
  }
}
