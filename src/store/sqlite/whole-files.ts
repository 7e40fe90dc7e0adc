import { closeSync, fsyncSync, openSync } from 'node:fs';
import { type Connection, openDatabase } from './driver.ts';

/**
 * Makes a database of its own for its owner only (mode 0600), written once and in a row: it keeps no log, since a file
 * that is not whole is thrown away, and is synced at its end. Throws where the file is there.
 */
export function createPrivate(file: string): Connection {
  closeSync(openSync(file, 'wx', 0o600));
  const connection = openDatabase(file, { fileMustExist: true });
  connection.exec('pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off');
  return connection;
}

interface SchemaRow {
  type: 'table' | 'index';
  name: string;
  sql: string;
}

/**
 * Copies tables with their indexes from one attached database of a connection to another, all where no names are given;
 * gives the names of the tables. Indexes come before the rows: SQLite then copies both in their order, without sorting.
 */
export function copyTables(connection: Connection, from: string, to: string, names?: ReadonlySet<string>): string[] {
  const schema = connection
    .prepare<[], SchemaRow & { table: string }>(
      `select type, name, tbl_name as "table", sql from ${from}.sqlite_master
       where sql is not null and name not like 'sqlite\\_%' escape '\\' order by type desc, rowid`,
    )
    .all()
    .filter(({ table }) => names === undefined || names.has(table));
  for (const { type, name, sql } of schema) {
    // The statement as it was given to make it, with the database put before the name.
    const made = sql.replace(/^(create (?:unique )?(?:table|index)) +(?=[`"\w])/i, `$1 ${to}.`);
    if (made === sql) throw new Error(`${type} ${name} has a definition of another form`);
    connection.exec(made);
  }
  const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => name);
  for (const table of tables) connection.exec(`insert into ${to}."${table}" select * from ${from}."${table}"`);
  copySequences(connection, from, to, tables);
  return tables;
}

/** The highest numbers ever given, which may be beyond the rows that are left. */
function copySequences(connection: Connection, from: string, to: string, tables: readonly string[]): void {
  const has = (database: string) =>
    connection.prepare(`select 1 from ${database}.sqlite_master where name = 'sqlite_sequence'`).get() !== undefined;
  if (!has(from) || !has(to)) return;
  for (const table of tables) {
    connection.prepare(`delete from ${to}.sqlite_sequence where name = ?`).run(table);
    connection
      .prepare(`insert into ${to}.sqlite_sequence select name, seq from ${from}.sqlite_sequence where name = ?`)
      .run(table);
  }
}

/** Brings a file that is whole to the disk. */
export function syncFile(file: string): void {
  const fd = openSync(file, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
