import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '../sqlite/connection/driver.ts';
import { databaseNames } from '../sqlite/connection/files.ts';
import { upgradeTables } from '../sqlite/schema/migrated-schema.ts';
import { schemaVersions } from '../sqlite/schema/schema-versions.ts';
import { copyDatabase } from './copied-database.ts';
import { backupTables, completeBackup, journalIn, type OpenBackup, openBackup } from './format.ts';
import { createPrivate } from './rows.ts';

/**
 * Runs something with a backup whose tables are those of this version: of an older one with a copy in a temporary folder, to
 * which the missing migrations were applied. See `openBackup` for what is refused.
 */
export async function useCurrent<T>(
  file: string,
  migrationsFolder: string,
  work: (backup: Connection) => Promise<T>,
): Promise<T> {
  const backup = openBackup(file, migrationsFolder);
  try {
    const isCurrent = databaseNames.every((name) => backup.versions[name] === schemaVersions[name]);
    return await (isCurrent ? work(backup.connection) : useCopy(backup, file, migrationsFolder, work));
  } finally {
    backup.connection.close();
  }
}

async function useCopy<T>(
  backup: OpenBackup,
  file: string,
  migrationsFolder: string,
  work: (backup: Connection) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-restore-'));
  try {
    const copy = createPrivate(join(folder, 'backup.db'));
    try {
      copy.exec('begin');
      for (const statement of backupTables) copy.exec(statement);
      for (const name of databaseNames) {
        const version = copyDatabase(backup, copy, { name, file, migrationsFolder });
        upgradeTables(copy, name, version, migrationsFolder);
      }
      completeBackup(copy, journalIn(backup.connection));
      copy.exec('commit');
      return await work(copy);
    } finally {
      copy.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
