import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { gunzipSync, constants as zlibConstants } from 'node:zlib';
import { errnoOf, HkctlError } from '../../core/errors.ts';
import { isGzip } from '../../core/files/gzip.ts';
import type { BackupDigest } from '../../core/operations/backups.ts';
import { firstFew } from '../../core/text/shown-text.ts';
import { latestDateMs } from '../../core/time/instants.ts';
import { type Connection, openDatabase, withConnection } from '../sqlite-file/driver.ts';
import { toDomainError } from '../sqlite-file/errors.ts';
import {
  differences,
  lineOf,
  makeTables,
  migratedSchema,
  type OwnTable,
  type SchemaObject,
  schemaObjectsIn,
} from '../sqlite-file/schema/migrated-schema.ts';
import {
  type DatabaseName,
  databaseNames,
  requireKnownVersion,
} from '../sqlite-file/schema/schema-versions.ts';

/** A backup that is open for reading, and how many migrations each database had when it was made. */
export interface OpenBackup {
  connection: Connection;
  versions: Readonly<Record<DatabaseName, number>>;
  /** The error for damage in it. */
  damaged(fault: string): HkctlError;
}

/** The `application_id` in the header of a complete backup: "hkb2", and "hkb1" up to version 0.1.0, without a digest. */
const [markWithDigest, markWithoutDigest] = [0x68_6b_62_32, 0x68_6b_62_31];

const backupTables = [
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
  backup.pragma(`application_id = ${markWithDigest}`);
}

export function journalIn(backup: Connection): string | undefined {
  return backup.prepare<[], string>('select text from backup_journal').pluck().get();
}

/**
 * Opens the database of a backup, a file that no other account can change, for reading: SQLite writes nothing and replays no
 * journal next to it, and none of its SQL is run. `damaged` makes the error for a schema that is not that of a backup. Throws
 * `bad_input` if the file is no backup, `store_too_new` if a newer hkctl made it.
 */
export function openBackup(
  file: string,
  shown: string,
  migrationsFolder: string,
  damaged: OpenBackup['damaged'] = (fault) => damagedBackup(shown, fault),
): OpenBackup {
  let connection: Connection | undefined;
  try {
    connection = openDatabase(file, { readonly: true, fileMustExist: true });
    connection.exec(
      'pragma trusted_schema = off; pragma cell_size_check = on; pragma query_only = on',
    );
    const objects = schemaObjectsIn(connection);
    const lines = new Set(objects.map(lineOf));
    if (!ownObjects({}, migrationsFolder).every((object) => lines.has(lineOf(object))))
      throw noBackup(shown);

    const versions = versionsIn(connection, shown);
    const wrong = differences(objects, ownObjects(versions, migrationsFolder));
    if (wrong.length > 0) throw damaged(`its schema was changed: ${firstFew(wrong).join('; ')}`);
    return { connection, versions, damaged };
  } catch (thrown) {
    connection?.close();
    if (errnoOf(thrown) === 'SQLITE_NOTADB') throw noBackup(shown);
    throw toDomainError(thrown, shown);
  }
}

export const headerBytes = 100;

/** Whether a complete backup has a digest, by its header; undefined for anything else. */
export function markOf(header: Buffer): 'with digest' | 'without digest' | undefined {
  if (header.toString('latin1', 0, sqliteMagic.length) !== sqliteMagic) return undefined;
  const mark = header.readUInt32BE(applicationIdAt);
  if (mark === markWithDigest) return 'with digest';
  return mark === markWithoutDigest ? 'without digest' : undefined;
}

/** Checks a backup by its header: that its end is there, and that nobody opened it for writing. */
export function requireWhole(header: Buffer, bytes: number, shown: string): void {
  const wholeSize = header.readUInt16BE(pageSizeAt) * header.readUInt32BE(pagesAt);
  if (bytes < wholeSize) throw damagedBackup(shown, 'its end is missing');
  if (header.readUInt16BE(formatVersionsAt) !== rollbackFormat) throw changedBackup(shown);
}

/**
 * The number in its series of the complete backup at a path, 0 without one; undefined for a link and anything but a complete
 * backup. No other account can exchange the file.
 */
export function numberOfWhole(file: string): number | undefined {
  let header: Buffer = Buffer.alloc(headerBytes);
  try {
    // A FIFO is not waited for.
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      if (fstatSync(fd).isFile()) header = readHeader(fd);
    } finally {
      closeSync(fd);
    }
  } catch (thrown) {
    // A file that cannot be read is not known to be a backup.
    if (errnoOf(thrown) === undefined) throw thrown;
  }
  return markOf(header) && header.readUInt32BE(userVersionAt);
}

/** The header of a backup, compressed or not; zeros follow where the file ends earlier. */
function readHeader(fd: number): Buffer {
  const start = Buffer.alloc(2 ** 16);
  const startBytes = start.subarray(0, readSync(fd, start));
  const content = isGzip(startBytes)
    ? gunzipSync(startBytes, { finishFlush: zlibConstants.Z_SYNC_FLUSH })
    : startBytes;
  return Buffer.concat([content, Buffer.alloc(headerBytes)], headerBytes);
}

const sqliteMagic = 'SQLite format 3\0';
/** Offsets of the size of a page and of the number of pages in the header of a database. */
const [pageSizeAt, pagesAt] = [16, 28];
/** Offset of the format versions for writing and reading in the header of a database; both are 1 without a log (WAL). */
const formatVersionsAt = 18;
const rollbackFormat = 0x01_01;
/** Offset of `user_version` in the header of a database, which holds the number of a backup in its series. */
const userVersionAt = 60;
const applicationIdAt = 68;

/** The instant at which a backup was made (epoch ms), as it states; undefined if that is no instant. */
export function creationOf(backup: Connection): number | undefined {
  const createdAtMs = Number(
    backup.prepare("select value from backup where name = 'created_at_ms'").pluck().get(),
  );
  return Math.abs(createdAtMs) <= latestDateMs ? createdAtMs : undefined;
}

/** The versions of the databases, as the backup states them. Called once its table of metadata is known to be ours. */
function versionsIn(connection: Connection, shown: string): Record<DatabaseName, number> {
  const value = connection
    .prepare<[string], unknown>('select value from backup where name = ?')
    .pluck();
  const versionOf = (name: DatabaseName): number => {
    const version = value.get(`${name}_version`);
    if (typeof version === 'number' && Number.isSafeInteger(version) && version >= 1) {
      return requireKnownVersion(connection, name, shown, version);
    }
    throw damagedBackup(shown, `it names no version of its ${name}`);
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

export function noBackup(shown: string): HkctlError {
  return new HkctlError('bad_input', `${shown} is not a backup of hkctl.`, {
    hint: 'Give a file that was made with: hkctl backup FILE',
  });
}

function changedBackup(shown: string): HkctlError {
  return new HkctlError(
    'bad_input',
    `${shown} was opened for writing since it was made: it keeps a log of changes now.`,
    {
      hint: 'Nothing was changed. Take another backup, or a copy of this one that nobody has written to.',
    },
  );
}

/** The error of a backup that is not as it was written: `store_corrupt` (exit 6). */
export function damagedBackup(shown: string, fault: string): HkctlError {
  return new HkctlError('store_corrupt', `The backup ${shown} is damaged: ${fault}.`, {
    hint: 'Nothing was changed. Take another backup.',
  });
}

/**
 * A backup ends with a line such as `sha256:9f86…`: the digest of every byte before it, and so of all rows and of the schema.
 * SQLite ignores the line, since the header of a database counts its pages.
 */
export const digestLineBytes = 'sha256:'.length + 64 + 1;

const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** The digest that the last bytes of a file state; undefined if they are no such line. */
export function digestIn(lastBytes: Buffer): BackupDigest | undefined {
  const digestLine = lastBytes.toString('latin1');
  const digest = digestLine.slice(0, -1);
  return digestLine.endsWith('\n') && digestPattern.test(digest) ? digest : undefined;
}

/** Computes the digest of bytes as they pass by. */
export function createDigest() {
  const hash = createHash('sha256');
  return {
    update: (bytes: Uint8Array) => void hash.update(bytes),
    end: (): BackupDigest => `sha256:${hash.digest('hex')}`,
  };
}

const pieceBytes = 2 ** 20;

/** Writes all bytes of an open file and the line of their digest, which is returned. */
export function copyWithDigest(fd: number, write: (bytes: Uint8Array) => void): BackupDigest {
  const digest = createDigest();
  const buffer = Buffer.allocUnsafe(pieceBytes);
  for (let offset = 0; ; ) {
    const length = readSync(fd, buffer, 0, buffer.length, offset);
    if (length === 0) break;
    offset += length;
    const piece = buffer.subarray(0, length);
    digest.update(piece);
    write(piece);
  }

  const contentDigest = digest.end();
  write(Buffer.from(`${contentDigest}\n`, 'latin1'));
  return contentDigest;
}
