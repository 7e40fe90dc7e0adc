import { statSync } from 'node:fs';
import type { BackupHead } from '../../core/operations/backups.ts';
import { translating } from '../sqlite/connection/errors.ts';
import { creationOf, damagedBackup, openBackup } from './backup-file.ts';

/**
 * Reads the metadata of a backup without reading all of it, for the question whether it is the intended one. Throws
 * `bad_input` where a file is no backup, `store_too_new` where a newer hkctl made it.
 */
export function readBackupHead(file: string, migrationsFolder: string): BackupHead {
  const { connection: backup } = openBackup(file, migrationsFolder);
  try {
    return translating(file, () => {
      const number = (sql: string) => Number(backup.prepare(sql).pluck().get());
      const createdAtMs = creationOf(backup);
      if (createdAtMs === undefined) throw damagedBackup(file, 'it names no time at which it was made');
      return {
        createdAtMs,
        keys: number('select count(*) from keys'),
        auditRecords: number('select count(*) from audit'),
        bytes: statSync(file).size,
      };
    });
  } finally {
    backup.close();
  }
}
