import * as pg from 'drizzle-orm/pg-core';
import * as sqlite from 'drizzle-orm/sqlite-core';

type Text = ReturnType<typeof sqlite.text>;
type Integer = ReturnType<typeof sqlite.integer>;
type Real = ReturnType<typeof sqlite.real>;
type Shared = Pick<typeof sqlite, 'integer' | 'index' | 'uniqueIndex' | 'primaryKey' | 'check'>;

/** What drizzle declares the tables of one engine with; the builders of both have the same methods. */
export interface TableKit extends Shared {
  table: typeof sqlite.sqliteTable;
  text(name: string): Text;
  /** Text that sorts and compares byte by byte. */
  bytes(name: string): Text;
  /** A whole number of up to 53 bits, such as an instant in milliseconds or microseconds. */
  whole(name: string): Integer;
  seq(name: string): Integer;
  real(name: string): Real;
  decimal(name: string): Real;
  boolean(name: string): Integer;
}

export const sqliteKit: TableKit = {
  ...sqlite,
  table: sqlite.sqliteTable,
  bytes: sqlite.text,
  whole: sqlite.integer,
  // AUTOINCREMENT keeps the highest number ever assigned, so that a cut tail is found.
  seq: (name) => sqlite.integer(name).primaryKey({ autoIncrement: true }) as unknown as Integer, // never null
  decimal: sqlite.real,
  boolean: sqlite.integer,
};

/** Text in the order of SQLite, whatever the locale of the database is. */
export const bytewiseText = pg.customType<{ data: string }>({ dataType: () => 'text collate "C"' });

export const wholeNumber = (name: string) => pg.bigint(name, { mode: 'number' });

export const postgresKit = {
  ...pg,
  table: pg.pgTable,
  bytes: bytewiseText,
  whole: wholeNumber,
  seq: (name: string) => wholeNumber(name).primaryKey(),
  real: pg.doublePrecision,
  // A number that keeps its zeros: it is stored with the digits that SQLite writes, such as 5.0.
  decimal: pg.numeric,
} as unknown as TableKit; // the builders of another dialect, with the same methods
