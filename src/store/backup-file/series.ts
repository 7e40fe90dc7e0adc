import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BackupSeries, isBackupName } from '../../core/operations/backups.ts';
import { numberOfWhole } from './format.ts';
import { closedTargetFolder, translatingTarget } from './target.ts';

/** SQLite keeps the number as a signed one of 32 bits. */
const mostNumber = 2 ** 31 - 1;

/** Backups are ordered by the numbers in the files, since a name is only as right as the clock was. Other files stay. */
export function backupSeries(typedFolder: string, storeId: string): BackupSeries {
  const folder = closedTargetFolder(typedFolder);
  const numberedFiles = () => {
    const fileNames = translatingTarget(folder, () => readdirSync(folder));
    return fileNames
      .filter((fileName) => isBackupName(fileName, storeId))
      .map((fileName) => join(folder, fileName))
      .flatMap((file) => {
        const number = numberOfWhole(file);
        return number === undefined ? [] : [{ file, number: Math.min(number, mostNumber) }];
      });
  };
  const newestFirst = () => numberedFiles().sort(compareNewestFirst);
  const newestNumber = newestFirst()[0]?.number ?? 0;

  return {
    nextNumber: Math.min(newestNumber + 1, mostNumber),
    removeOld(newest, keep) {
      const newestName = basename(newest);
      const files = newestFirst().map(({ file }) => file);
      const otherFiles = files.filter((file) => basename(file) !== newestName);
      const oldFiles = otherFiles.slice(keep - 1);

      // Another backup of the series may have removed it just now.
      for (const file of oldFiles) {
        translatingTarget(file, () => rmSync(file, { force: true }));
      }
      return oldFiles.map((file) => join(typedFolder, basename(file)));
    },
  };
}

interface NumberedFile {
  file: string;
  number: number;
}

function compareNewestFirst(a: NumberedFile, b: NumberedFile): number {
  if (a.number !== b.number) return b.number - a.number;
  return a.file < b.file ? 1 : -1;
}
