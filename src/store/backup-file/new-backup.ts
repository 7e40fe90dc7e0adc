import type { Connection } from '../sqlite/connection/driver.ts';
import type { DatabaseName } from '../sqlite/connection/files.ts';
import { makeTables, migratedSchema, type OwnTable } from '../sqlite/schema/migrated-schema.ts';
import { backupTables } from './backup-file.ts';
import { marks } from './backup-target.ts';

/** Creates the tables of a backup's metadata, and records when it was made. */
export function beginBackup(backup: Connection, nowMs: number): void {
  for (const statement of backupTables) backup.exec(statement);
  putNumber(backup, 'created_at_ms', nowMs);
}

/** Creates the tables of one database in a backup, and records them and their version. Returns them for their rows. */
export function addTables(
  backup: Connection,
  name: DatabaseName,
  version: number,
  migrationsFolder: string,
): readonly OwnTable[] {
  putNumber(backup, `${name}_version`, version);
  makeTables(backup, name, version, migrationsFolder);
  const { tables } = migratedSchema(name, version, migrationsFolder);
  // For older versions of hkctl, which read from it the tables to copy.
  const note = backup.prepare('insert into backup_tables (name, database) values (?, ?)');
  for (const table of tables) note.run(table.name, name);
  return tables;
}

/** Adds the journal, where there is one, and marks the backup as whole. */
export function completeBackup(backup: Connection, journal: string | undefined): void {
  if (journal !== undefined) backup.prepare('insert into backup_journal (text) values (?)').run(journal);
  backup.pragma(`application_id = ${marks.whole}`);
}

/** The journal in a backup; undefined where the store had none. */
export function journalIn(backup: Connection): string | undefined {
  return backup.prepare<[], string>('select text from backup_journal').pluck().get();
}

function putNumber(backup: Connection, name: string, value: number): void {
  backup.prepare('insert into backup (name, value) values (?, ?)').run(name, value);
}
