import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { errnoOf } from '../../core/errno.ts';
import { HkctlError } from '../../core/errors.ts';
import { latestDateMs } from '../../core/time/instants.ts';
import { type Connection, openDatabase } from '../sqlite/connection/driver.ts';
import { toDomainError } from '../sqlite/connection/errors.ts';
import { type DatabaseName, databaseNames } from '../sqlite/connection/files.ts';
import { makeTables } from '../sqlite/schema/migrated-schema.ts';
import { differences, shownDifferences } from '../sqlite/schema/own-schema.ts';
import { lineOf, type SchemaObject, schemaObjectsIn } from '../sqlite/schema/schema-objects.ts';
import { requireNotNewer } from '../sqlite/schema/schema-versions.ts';
import { formatVersionsAt, marks, rollbackFormat, sqliteMagic } from './backup-target.ts';

/** A backup that is open for reading, and how many migrations each database had when it was made. */
export interface OpenBackup {
  connection: Connection;
  versions: Readonly<Record<DatabaseName, number>>;
}

/** Tables of a backup beside those of the store: its metadata and the journal. */
export const backupTables = [
  'create table backup (name text primary key, value integer not null) without rowid',
  'create table backup_tables (name text primary key, database text not null) without rowid',
  'create table backup_journal (text text not null)',
] as const;

/**
 * Opens a backup for reading. Nothing in it is trusted, since it may come from anybody: it is opened read-only, so that
 * SQLite writes nothing and replays no journal beside it, and none of its SQL is executed. Throws `bad_input` where a file
 * is no backup, `store_too_new` where a newer hkctl made it, `store_corrupt` where its schema is not that of a backup.
 */
export function openBackup(file: string, migrationsFolder: string): OpenBackup {
  requireReadableBackup(file);
  let connection: Connection | undefined;
  try {
    connection = openDatabase(file, { readonly: true, fileMustExist: true });
    connection.exec('pragma trusted_schema = off; pragma cell_size_check = on; pragma query_only = on');
    const objects = schemaObjectsIn(connection);
    const lines = new Set(objects.map(lineOf));
    if (!ownObjects({}, migrationsFolder).every((object) => lines.has(lineOf(object)))) throw noBackup(file);
    const versions = versionsIn(connection, file);
    const wrong = differences(objects, ownObjects(versions, migrationsFolder));
    if (wrong.length > 0) throw damagedBackup(file, `its schema was changed: ${shownDifferences(wrong)}`);
    return { connection, versions };
  } catch (thrown) {
    connection?.close();
    if (errnoOf(thrown) === 'SQLITE_NOTADB') throw noBackup(file);
    throw toDomainError(thrown, file);
  }
}

function requireReadableBackup(file: string): void {
  try {
    requireBackupFile(file);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EACCES') throw thrown;
    throw new HkctlError('bad_input', `${file} cannot be read: this account may not read it.`, { cause: thrown });
  }
}

/** Checks the file before SQLite opens it: a regular file with the mark of a backup and without a log. */
function requireBackupFile(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw new HkctlError('bad_input', `There is no file ${file}.`);
  if (stat.isDirectory()) throw new HkctlError('bad_input', `${file} is a folder, not a backup.`);
  if (!stat.isFile()) throw new HkctlError('bad_input', `${file} is not a regular file, and so not a backup.`);
  const header = headerOf(file);
  const isMarked = header.readUInt32BE(applicationIdAt) === marks.whole;
  if (!header.subarray(0, sqliteMagic.length).equals(sqliteMagic) || !isMarked) throw noBackup(file);
  // A backup has no log. SQLite would read a log beside the file as a part of it, and create files there.
  const beside = ['-journal', '-wal', '-shm'].map((end) => file + end).find((name) => existsSync(name));
  const keepsLog = header.readUInt16BE(formatVersionsAt) !== rollbackFormat;
  if (beside !== undefined || keepsLog) throw changedBackup(file, beside);
}

function headerOf(file: string): Buffer {
  const header = Buffer.alloc(100);
  const fd = openSync(file, 'r');
  try {
    readSync(fd, header);
    return header;
  } finally {
    closeSync(fd);
  }
}

/** Offset of `application_id` in the header. */
const applicationIdAt = 68;

/** The instant at which a backup was made (epoch ms), as it states; undefined where that is no instant. */
export function creationOf(backup: Connection): number | undefined {
  const createdAtMs = Number(backup.prepare("select value from backup where name = 'created_at_ms'").pluck().get());
  return Math.abs(createdAtMs) <= latestDateMs ? createdAtMs : undefined;
}

/** The versions of the databases, as the backup states them. Called once its table of metadata is known to be ours. */
function versionsIn(connection: Connection, file: string): Record<DatabaseName, number> {
  const value = connection.prepare<[string], unknown>('select value from backup where name = ?').pluck();
  const versionOf = (name: DatabaseName): number => {
    const version = value.get(`${name}_version`);
    if (typeof version === 'number' && Number.isSafeInteger(version) && version >= 1) {
      return requireNotNewer(connection, name, file, version);
    }
    throw damagedBackup(file, `it names no version of its ${name}`);
  };
  return { registry: versionOf('registry'), records: versionOf('records'), readings: versionOf('readings') };
}

/** The schema of a backup of these versions; without versions, the part that every backup has. */
function ownObjects(versions: Partial<Record<DatabaseName, number>>, migrationsFolder: string): SchemaObject[] {
  const connection = openDatabase(':memory:', {});
  try {
    for (const statement of backupTables) connection.exec(statement);
    for (const name of databaseNames) makeTables(connection, name, versions[name] ?? 0, migrationsFolder);
    return schemaObjectsIn(connection);
  } finally {
    connection.close();
  }
}

/** The error of a file that is no backup: `bad_input`. */
function noBackup(file: string): HkctlError {
  return new HkctlError('bad_input', `${file} is not a backup of hkctl.`, {
    hint: 'Give a file that was made with: hkctl backup FILE',
  });
}

function changedBackup(file: string, beside: string | undefined): HkctlError {
  const why = beside === undefined ? 'it keeps a log of changes now' : `${beside} lies beside it`;
  return new HkctlError('bad_input', `${file} was opened for writing since it was made: ${why}.`, {
    hint: 'Nothing was changed. Take another backup, or a copy of this one that nobody has written to.',
  });
}

/** The error of a backup that is not as it was written: `store_corrupt` (exit 6). */
export function damagedBackup(file: string, what: string): HkctlError {
  return new HkctlError('store_corrupt', `The backup ${file} is damaged: ${what}.`, {
    hint: 'Nothing was changed. Take another backup.',
  });
}
