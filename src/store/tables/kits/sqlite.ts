import {
  check,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { drizzle } from 'drizzle-orm/sqlite-proxy';

/**
 * The functions with which both engines declare tables: drizzle's functions for SQLite, and kinds of columns that the engines
 * store differently. `postgresKit` has the same names and types.
 */
export const sqliteKit = {
  table: sqliteTable,
  index,
  uniqueIndex,
  primaryKey,
  check,
  integer,
  text: (name: string) => text(name),
  /** Text that sorts and compares byte by byte. */
  bytewiseText: (name: string) => text(name),
  /** Text that may contain any character, also NUL. */
  anyText: (name: string) => text(name),
  /** A value that is stored as JSON, in a text. */
  json: (name: string) => text(name, { mode: 'json' }),
  /** A whole number of up to 53 bits, such as an instant in milliseconds or microseconds. */
  wholeNumber: (name: string) => integer(name),
  /** The key of rows that are numbered: AUTOINCREMENT keeps the highest number ever assigned, so that a cut tail is found. */
  sequenceNumber: (name: string) => integer(name).primaryKey({ autoIncrement: true }),
  real: (name: string) => real(name),
  decimal: (name: string) => real(name),
  boolean: (name: string) => integer(name, { mode: 'boolean' }),
};

export type TableKit = typeof sqliteKit;

/** drizzle's builder of statements. It compiles them only: each engine runs them on its own connections. */
export const sqliteBuilder = drizzle(async () => {
  throw new Error('statements are run by the runner of the store');
});

export type StatementBuilder = typeof sqliteBuilder;
