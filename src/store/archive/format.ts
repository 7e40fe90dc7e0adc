import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  type Stats,
} from 'node:fs';
import { errnoOf } from '../../core/errno.ts';
import { HkctlError, isHkctlError } from '../../core/errors.ts';
import { pathFaults } from '../../core/files.ts';
import { firstFew } from '../../core/text/shown-text.ts';
import { latestDateMs } from '../../core/time/instants.ts';
import {
  type Connection,
  openDatabase,
  requireShort,
  withConnection,
} from '../sqlite-database/driver.ts';
import { toDomainError } from '../sqlite-database/errors.ts';
import {
  type DatabaseName,
  databaseNames,
  makeTables,
  migratedSchema,
  type OwnTable,
} from '../sqlite-database/schema/migrated-schema.ts';
import {
  differences,
  lineOf,
  type SchemaObject,
  schemaObjectsIn,
} from '../sqlite-database/schema/schema-objects.ts';
import { requireNotNewer } from '../sqlite-database/schema/schema-versions.ts';

/** A backup that is open for reading, and how many migrations each database had when it was made. */
export interface OpenBackup {
  connection: Connection;
  versions: Readonly<Record<DatabaseName, number>>;
}

/** The `application_id` in the header of a complete backup: "hkb1". */
const wholeMark = 0x68_6b_62_31;

export const backupTables = [
  'create table backup (name text primary key, value integer not null) without rowid',
  'create table backup_tables (name text primary key, database text not null) without rowid',
  'create table backup_journal (text text not null)',
] as const;

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

function putNumber(backup: Connection, name: string, value: number): void {
  backup.prepare('insert into backup (name, value) values (?, ?)').run(name, value);
}

export function completeBackup(backup: Connection, journal: string | undefined): void {
  if (journal !== undefined)
    backup.prepare('insert into backup_journal (text) values (?)').run(journal);
  backup.pragma(`application_id = ${wholeMark}`);
}

export function journalIn(backup: Connection): string | undefined {
  return backup.prepare<[], string>('select text from backup_journal').pluck().get();
}

/**
 * Opens a backup for reading. Nothing in it is trusted, since it may come from anybody: it is opened read-only, so that
 * SQLite writes nothing and replays no journal next to it, and none of its SQL is executed. Throws `bad_input` if the file
 * is no backup, `store_too_new` if a newer hkctl made it, `store_corrupt` if its schema is not that of a backup.
 */
export function openBackup(file: string, migrationsFolder: string): OpenBackup {
  requireBackupFile(file);
  let connection: Connection | undefined;
  try {
    connection = openDatabase(file, { readonly: true, fileMustExist: true });
    connection.exec(
      'pragma trusted_schema = off; pragma cell_size_check = on; pragma query_only = on',
    );
    const objects = schemaObjectsIn(connection);
    const lines = new Set(objects.map(lineOf));
    if (!ownObjects({}, migrationsFolder).every((object) => lines.has(lineOf(object))))
      throw noBackup(file);
    const versions = versionsIn(connection, file);
    const wrong = differences(objects, ownObjects(versions, migrationsFolder));
    if (wrong.length > 0)
      throw damagedBackup(file, `its schema was changed: ${firstFew(wrong).join('; ')}`);
    return { connection, versions };
  } catch (thrown) {
    connection?.close();
    if (errnoOf(thrown) === 'SQLITE_NOTADB') throw noBackup(file);
    throw toDomainError(thrown, file);
  }
}

/** Checks the file before SQLite opens it: a regular file with the mark of a backup and without a log. */
function requireBackupFile(file: string): void {
  const { stat, header } = readHeader(file);
  if (stat.isDirectory()) throw new HkctlError('bad_input', `${file} is a folder, not a backup.`);
  if (!stat.isFile())
    throw new HkctlError('bad_input', `${file} is not a regular file, and so not a backup.`);
  if (!isWhole(header)) throw noBackup(file);
  const wholeSize = header.readUInt16BE(pageSizeAt) * header.readUInt32BE(pagesAt);
  if (stat.size < wholeSize) throw damagedBackup(file, 'its end is missing');
  // A backup has no log. SQLite would read a log next to the file as a part of it, and create files there.
  const log = ['-journal', '-wal', '-shm']
    .map((end) => file + end)
    .find((name) => existsSync(name));
  const keepsLog = header.readUInt16BE(formatVersionsAt) !== rollbackFormat;
  if (log !== undefined || keepsLog) throw changedBackup(file, log);
}

/** The number in its series of the complete backup at a path, 0 without one; undefined for a link and anything but a complete backup. */
export function numberOfWhole(file: string): number | undefined {
  try {
    const { header } = readHeader(file, constants.O_NOFOLLOW);
    return isWhole(header) ? header.readUInt32BE(userVersionAt) : undefined;
  } catch (thrown) {
    // What cannot be read is not known to be a backup.
    if (isHkctlError(thrown) || errnoOf(thrown) !== undefined) return undefined;
    throw thrown;
  }
}

/** Reads the header of a regular file; of anything else it is empty. A FIFO is not waited for. */
function readHeader(file: string, flags = 0): { stat: Stats; header: Buffer } {
  const header = Buffer.alloc(100);
  let fd: number;
  try {
    requireShort(file);
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === undefined) throw thrown;
    if (code === 'ENOENT') throw new HkctlError('bad_input', `There is no file ${file}.`);
    const why = code === 'EACCES' ? 'this account may not read it' : (pathFaults[code] ?? code);
    throw new HkctlError('bad_input', `${file} cannot be read: ${why}.`, { cause: thrown });
  }
  try {
    const stat = fstatSync(fd);
    if (stat.isFile()) readSync(fd, header);
    return { stat, header };
  } finally {
    closeSync(fd);
  }
}

function isWhole(header: Buffer): boolean {
  return (
    header.toString('latin1', 0, sqliteMagic.length) === sqliteMagic &&
    header.readUInt32BE(applicationIdAt) === wholeMark
  );
}

const sqliteMagic = 'SQLite format 3\0';
/** Offsets of the size of a page and of the number of pages in the header of a database. */
const [pageSizeAt, pagesAt] = [16, 28];
/** Offset of the format versions for writing and reading in the header of a database; both are 1 without a log (WAL). */
const formatVersionsAt = 18;
const rollbackFormat = 0x01_01;
/** Offset of `user_version` in the header of a database, which holds the number of a backup in its series. */
export const userVersionAt = 60;
const applicationIdAt = 68;

/** The instant at which a backup was made (epoch ms), as it states; undefined if that is no instant. */
export function creationOf(backup: Connection): number | undefined {
  const createdAtMs = Number(
    backup.prepare("select value from backup where name = 'created_at_ms'").pluck().get(),
  );
  return Math.abs(createdAtMs) <= latestDateMs ? createdAtMs : undefined;
}

/** The versions of the databases, as the backup states them. Called once its table of metadata is known to be ours. */
function versionsIn(connection: Connection, file: string): Record<DatabaseName, number> {
  const value = connection
    .prepare<[string], unknown>('select value from backup where name = ?')
    .pluck();
  const versionOf = (name: DatabaseName): number => {
    const version = value.get(`${name}_version`);
    if (typeof version === 'number' && Number.isSafeInteger(version) && version >= 1) {
      return requireNotNewer(connection, name, file, version);
    }
    throw damagedBackup(file, `it names no version of its ${name}`);
  };
  return {
    registry: versionOf('registry'),
    records: versionOf('records'),
    readings: versionOf('readings'),
  };
}

/** The schema of a backup of these versions; without versions, the part that every backup has. */
function ownObjects(
  versions: Partial<Record<DatabaseName, number>>,
  migrationsFolder: string,
): SchemaObject[] {
  return withConnection(openDatabase(':memory:', {}), (connection) => {
    for (const statement of backupTables) connection.exec(statement);
    for (const name of databaseNames)
      makeTables(connection, name, versions[name] ?? 0, migrationsFolder);
    return schemaObjectsIn(connection);
  });
}

function noBackup(file: string): HkctlError {
  return new HkctlError('bad_input', `${file} is not a backup of hkctl.`, {
    hint: 'Give a file that was made with: hkctl backup FILE',
  });
}

function changedBackup(file: string, log: string | undefined): HkctlError {
  const why = log === undefined ? 'it keeps a log of changes now' : `${log} is next to it`;
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
