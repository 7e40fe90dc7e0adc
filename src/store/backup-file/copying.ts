import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { errnoOf } from '../../core/errors.ts';
import { createFile } from '../../core/files/new-file.ts';
import { clockMarks } from '../shared/registry/clock.ts';
import { lastBackupMark, outboxMark } from '../shared/registry/statements.ts';
import { allDaysWait } from '../sqlite-file/chunks/day-sums.ts';
import { type Connection, openDatabase, requireShort } from '../sqlite-file/driver.ts';
import {
  makeTables,
  migratedSchema,
  type OwnTable,
  upgradeTables,
} from '../sqlite-file/schema/migrated-schema.ts';
import {
  type DatabaseName,
  databaseNames,
  schemaVersions,
} from '../sqlite-file/schema/schema-versions.ts';
import type { OpenBackup } from './format.ts';

/** A database to be made from a backup. */
interface DatabaseCopy {
  name: DatabaseName;
  migrationsFolder: string;
  without?: ReadonlySet<string>;
  /** Receives the number of rows since its last call. */
  copied?(rows: number): void;
}

/** Makes one database of this version: our own tables, and the rows of the backup. The sums of days whose readings are there are made anew. */
export function copyDatabase(
  { connection: source, versions, damaged }: OpenBackup,
  target: Connection,
  request: DatabaseCopy,
): void {
  const { name, migrationsFolder, without = new Set() } = request;
  const version = versions[name];
  makeTables(target, name, version, migrationsFolder);
  const { tables } = migratedSchema(name, version, migrationsFolder);
  const copiedTables = tables.filter((table) => !without.has(table.name));

  try {
    copyArchiveRows(source, target, copiedTables, request.copied);
  } catch (thrown) {
    throw isOfRow(thrown) ? damaged(`it holds rows that its own tables forbid (${name})`) : thrown;
  }
  upgradeTables(target, name, version, migrationsFolder);
  if (name === 'readings') target.exec(allDaysWait);
}

/** A backup whose tables have this version, of which an older backup is copied; the caller closes it. */
export function openCurrent(
  backup: OpenBackup,
  copy: Pick<DatabaseCopy, 'migrationsFolder'>,
): Connection {
  const isCurrent = databaseNames.every((name) => backup.versions[name] === schemaVersions[name]);
  if (isCurrent) return backup.connection;

  // Without a name, SQLite keeps the database in a file that is gone when the process ends, however it ends.
  const currentCopy = openDatabase('', {});
  try {
    currentCopy.exec(
      'pragma journal_mode = memory; pragma synchronous = off; pragma foreign_keys = off; begin',
    );
    for (const name of databaseNames) copyDatabase(backup, currentCopy, { name, ...copy });
    currentCopy.exec('commit');
    return currentCopy;
  } catch (thrown) {
    currentCopy.close();
    throw thrown;
  }
}

interface Mark {
  name: string;
  value: number;
}

/** The marks that a restore takes: any other counts rows of a table that starts anew, or is of one machine. */
export function carriedMarks(backup: Connection): Mark[] {
  return backup
    .prepare<[string, string, string], Mark>(
      `select name, value from marks where name = ?
        union all select * from (
          select ?, at_ms from audit
            where action = ? and outcome = 'done'
            order by seq desc limit 1)`,
    )
    .all(clockMarks.seenMs, lastBackupMark, 'store.backup');
}

/** Events of imports, as JSON, in a backup that were not moved into the trail yet. */
export function waitingDrafts(backup: Connection): string[] {
  const lastMoved =
    backup
      .prepare<[string], number>('select value from marks where name = ?')
      .pluck()
      .get(outboxMark) ?? 0;
  return backup
    .prepare<[number], string>('select draft from audit_outbox where id > ? order by id')
    .pluck()
    .all(lastMoved);
}

export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let writtenBytes = 0; writtenBytes < bytes.length; )
    writtenBytes += writeSync(fd, bytes, writtenBytes, bytes.length - writtenBytes);
}

/** Creates a database (mode 0600) without a log, which the caller syncs at the end. Throws if the file exists. */
export function createPrivate(file: string): Connection {
  requireShort(file);
  closeSync(createFile(file));
  const connection = openDatabase(file, { fileMustExist: true });
  // The driver ignores `off`, and a journal on disk would stay next to the file of a killed process.
  connection.exec(
    'pragma journal_mode = memory; pragma synchronous = off; pragma foreign_keys = off',
  );
  return connection;
}

/** Rows in one statement: the call of a statement costs as much as a row. */
const rowsPerStatement = 32;

/** Writes rows, the values of all columns of a table, in order, many in one statement. `end` writes the rows that wait. */
export function createRowWriter(target: Connection, table: OwnTable) {
  const { length } = table.columns;
  const places = new Array(length).fill('?');
  const rowPlaces = `(${places.join(', ')})`;
  const allPlaces = new Array(rowsPerStatement).fill(rowPlaces);
  const insertInto = `insert into ${quoted(table.name)} (${columnsOf(table)}) values `;
  const insertMany = target.prepare<unknown[]>(insertInto + allPlaces.join(', '));

  let values: unknown[] = [];
  return {
    write(row: readonly unknown[]): void {
      for (const value of row) values.push(value);
      if (values.length < rowsPerStatement * length) return;
      insertMany.run(values);
      values = [];
    },
    end(): void {
      const insertOne = target.prepare<unknown[]>(insertInto + rowPlaces);
      for (let rowStart = 0; rowStart < values.length; rowStart += length) {
        const row = values.slice(rowStart, rowStart + length);
        insertOne.run(row);
      }
      values = [];
    },
  };
}

const reportedRows = 10_000;

/** Names the columns: our own schema writes each row, even from pages tampered with. A million rows a second. */
export function copyArchiveRows(
  source: Connection,
  target: Connection,
  tables: readonly OwnTable[],
  copied: (rows: number) => void = () => {},
): void {
  let copiedRows = 0;
  for (const table of tables) {
    const writer = createRowWriter(target, table);
    const readRows = source
      .prepare<[], unknown[]>(
        `select ${columnsOf(table)} from ${quoted(table.name)} where ${table.condition ?? 'true'}`,
      )
      .raw();
    for (const row of readRows.iterate()) {
      writer.write(row);
      if (++copiedRows % reportedRows === 0) copied(reportedRows);
    }
    writer.end();
  }
  copySequences(source, target, tables);
}

/** Whether an error of a copy is that of a row which does not fit its table. */
export function isOfRow(thrown: unknown): boolean {
  return (
    thrown instanceof SyntaxError || /^SQLITE_(CONSTRAINT|MISMATCH)/.test(errnoOf(thrown) ?? '')
  );
}

/** SQL for a number of `sqlite_sequence`, which earlier versions have written as a float into backups. */
export const sequenceSql = 'cast(seq as integer)';

/** Copies the highest numbers ever assigned, which may be beyond the rows that are left. */
function copySequences(source: Connection, target: Connection, tables: readonly OwnTable[]): void {
  const haveSequences = [source, target].every((database) =>
    database.prepare("select 1 from sqlite_master where name = 'sqlite_sequence'").get(),
  );
  if (!haveSequences) return;

  const readSequence = source
    .prepare<[string], number>(
      `select ${sequenceSql} from sqlite_sequence where name = ? and seq is not null`,
    )
    .pluck();
  const removeSequence = target.prepare<[string]>('delete from sqlite_sequence where name = ?');
  // The driver binds every number as a float, and the table has no types that would convert it.
  const insertSequence = target.prepare<[string, number]>(
    'insert into sqlite_sequence (name, seq) values (?, cast(? as integer))',
  );

  for (const { name } of tables) {
    const highestNumber = readSequence.get(name);
    if (highestNumber === undefined) continue;
    removeSequence.run(name);
    insertSequence.run(name, highestNumber);
  }
}

function columnsOf({ columns }: OwnTable): string {
  return columns.map(quoted).join(', ');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function syncFile(file: string): void {
  const fd = openSync(file, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
