import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BackupSeries, isBackupName } from '../../core/operations/backups.ts';
import { numberOfWhole } from './format.ts';
import { closedTargetFolder, translatingTarget } from './target.ts';

/** SQLite keeps the number as a signed one of 32 bits. */
const mostNumber = 2 ** 31 - 1;

/** The numbers in the files say which is older, since a name is only as right as the clock was. What is no backup of the store stays. */
export function backupSeries(typedFolder: string, storeId: string): BackupSeries {
  const folder = closedTargetFolder(typedFolder);
  const newestFirst = () =>
    translatingTarget(folder, () => readdirSync(folder))
      .filter((name) => isBackupName(name, storeId))
      .map((name) => join(folder, name))
      .flatMap((file) => {
        const number = numberOfWhole(file);
        return number === undefined ? [] : [{ file, number: Math.min(number, mostNumber) }];
      })
      .sort((a, b) => b.number - a.number || (a.file < b.file ? 1 : -1));
  return {
    nextNumber: Math.min((newestFirst()[0]?.number ?? 0) + 1, mostNumber),
    removeOld(newest, keep) {
      const others = newestFirst().filter(({ file }) => basename(file) !== basename(newest));
      const old = others.slice(keep - 1).map(({ file }) => file);
      // Another backup of the series may have removed it just now.
      for (const file of old) translatingTarget(file, () => rmSync(file, { force: true }));
      return old.map((file) => join(typedFolder, basename(file)));
    },
  };
}
