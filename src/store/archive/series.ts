import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BackupFolder, type BackupSeries, isBackupName } from '../../core/operations/backups.ts';
import { numberOfWhole } from './format.ts';
import { translatingTarget } from './target.ts';

/**
 * Removes the oldest backups of a series beyond the number to keep and returns their paths. Counts and removes only regular
 * files that have the name of a backup of this store and begin like one: everything else in the folder stays. The numbers in the
 * files say which is older, since a name is only as right as the clock was; those of earlier versions have none and are older.
 */
export function removeOldBackups({ folder, storeId, newest, keep }: BackupSeries): string[] {
  const others = seriesIn({ folder, storeId }).filter(({ file }) => basename(file) !== basename(newest));
  const old = others.slice(keep - 1).map(({ file }) => file);
  // Another backup of the series may have removed it just now.
  for (const file of old) translatingTarget(file, () => rmSync(file, { force: true }));
  return old;
}

/** The number of the next backup in a series: higher than that of every one that is there. */
export function nextBackupNumber(series: BackupFolder): number {
  const [newest] = seriesIn(series);
  return Math.min((newest?.number ?? 0) + 1, mostNumber);
}

/** SQLite keeps the number as a signed one of 32 bits. */
const mostNumber = 2 ** 31 - 1;

interface NumberedFile {
  file: string;
  number: number;
}

/** The backups of a series, the newest first. */
function seriesIn({ folder, storeId }: BackupFolder): NumberedFile[] {
  return translatingTarget(folder, () => readdirSync(folder))
    .filter((name) => isBackupName(name, storeId))
    .map((name) => join(folder, name))
    .flatMap((file): NumberedFile[] => {
      const number = numberOfWhole(file);
      return number === undefined ? [] : [{ file, number: Math.min(number, mostNumber) }];
    })
    .sort((a, b) => b.number - a.number || (a.file < b.file ? 1 : -1));
}
