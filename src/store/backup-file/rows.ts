import { closeSync, constants, fsyncSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../core/errno.ts';
import { type Connection, openDatabase, requireShort } from '../sqlite-file/driver.ts';
import type { OwnTable } from '../sqlite-file/schema/migrated-schema.ts';

/** Opens a file that does not exist yet, for writing; never one that a link leads to. */
export const newFile =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(fd, bytes, written, bytes.length - written);
}

/** Creates a database (mode 0600) without a log, which the caller syncs at the end. Throws if the file exists. */
export function createPrivate(file: string): Connection {
  requireShort(file);
  closeSync(openSync(file, newFile, 0o600));
  const connection = openDatabase(file, { fileMustExist: true });
  // The driver ignores `off`, and a journal on disk would stay next to the file of a killed process.
  connection.exec(
    'pragma journal_mode = memory; pragma synchronous = off; pragma foreign_keys = off',
  );
  return connection;
}

/** Rows in one statement: the call of a statement costs as much as a row. */
const rowsPerStatement = 32;

/** Writes rows, the values of all columns of a table, in order, many in one statement. `end` writes those that wait. */
export function createRowWriter(to: Connection, table: OwnTable) {
  const { length } = table.columns;
  const places = `(${new Array(length).fill('?').join(', ')})`;
  const into = `insert into ${quoted(table.name)} (${columnsOf(table)}) values `;
  const many = to.prepare<unknown[]>(into + new Array(rowsPerStatement).fill(places).join(', '));
  let values: unknown[] = [];
  return {
    write(row: readonly unknown[]): void {
      for (const value of row) values.push(value);
      if (values.length < rowsPerStatement * length) return;
      many.run(values);
      values = [];
    },
    end(): void {
      const one = to.prepare<unknown[]>(into + places);
      for (let at = 0; at < values.length; at += length) one.run(values.slice(at, at + length));
      values = [];
    },
  };
}

const reportedRows = 10_000;

/** Names the columns: our own schema writes each row, even from pages tampered with. A million rows a second. */
export function copyArchiveRows(
  from: Connection,
  to: Connection,
  tables: readonly OwnTable[],
  copied: (rows: number) => void = () => {},
): void {
  let count = 0;
  for (const table of tables) {
    const writer = createRowWriter(to, table);
    const read = from
      .prepare<[], unknown[]>(`select ${columnsOf(table)} from ${quoted(table.name)}`)
      .raw();
    for (const row of read.iterate()) {
      writer.write(row);
      if (++count % reportedRows === 0) copied(reportedRows);
    }
    writer.end();
  }
  copySequences(from, to, tables);
}

/** Whether an error of a copy is of a row that violates a constraint of its table, or has a value that is none of its column. */
export function isOfRow(thrown: unknown): boolean {
  return (
    thrown instanceof SyntaxError || /^SQLITE_(CONSTRAINT|MISMATCH)/.test(errnoOf(thrown) ?? '')
  );
}

/** SQL for a number of `sqlite_sequence`, which earlier versions have written as a float into backups. */
export const sequenceSql = 'cast(seq as integer)';

/** Copies the highest numbers ever assigned, which may be beyond the rows that are left. */
function copySequences(from: Connection, to: Connection, tables: readonly OwnTable[]): void {
  if (
    ![from, to].every((one) =>
      one.prepare("select 1 from sqlite_master where name = 'sqlite_sequence'").get(),
    )
  )
    return;
  const read = from
    .prepare<[string], number>(
      `select ${sequenceSql} from sqlite_sequence where name = ? and seq is not null`,
    )
    .pluck();
  const remove = to.prepare<[string]>('delete from sqlite_sequence where name = ?');
  // The driver binds every number as a float, and the table has no types that would convert it.
  const put = to.prepare<[string, number]>(
    'insert into sqlite_sequence (name, seq) values (?, cast(? as integer))',
  );
  for (const { name } of tables) {
    const highest = read.get(name);
    if (highest === undefined) continue;
    remove.run(name);
    put.run(name, highest);
  }
}

function columnsOf({ columns }: OwnTable): string {
  return columns.map(quoted).join(', ');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function syncFile(file: string): void {
  sync(file, 'r+');
}

export function syncFolderOf(file: string): void {
  sync(dirname(file), 'r');
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const fd = openSync(path, flags);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
