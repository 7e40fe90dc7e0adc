import {
  bigint,
  boolean,
  check,
  customType,
  doublePrecision,
  index,
  integer,
  numeric,
  type PgSelect,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import type { StatementBuilder, TableKit } from './sqlite.ts';

/** Text in the order of SQLite, whatever the locale of the database is. */
export const bytewiseText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

export const wholeNumber = (name: string) => bigint(name, { mode: 'number' });

/** JSON in a text, as SQLite has it: it comes back character by character. */
const json = customType<{ data: unknown; driverData: string | null }>({
  dataType: () => 'text',
  // The null of a placeholder is null, and not the text of its JSON.
  toDriver: (value) => (value === null ? null : JSON.stringify(value)),
  fromDriver: (text) => JSON.parse(String(text)),
});

const postgresFunctions = {
  table: pgTable,
  index,
  uniqueIndex,
  primaryKey,
  check,
  integer,
  text,
  bytewiseText,
  // PostgreSQL's texts have no NUL character.
  anyText: json,
  json,
  wholeNumber,
  sequenceNumber: (name: string) => wholeNumber(name).primaryKey(),
  real: doublePrecision,
  // A number that keeps its zeros: it is stored with the digits that SQLite writes, such as 5.0.
  decimal: numeric,
  boolean,
};

/*
 * The kit and the builder of PostgreSQL have the types of SQLite's. Drizzle types the two engines apart, although what tables and
 * statements use here has the same methods; the conformance tests run every statement on both engines.
 */

export const postgresKit = postgresFunctions as unknown as TableKit;

export const postgresBuilder = drizzle(async () => {
  throw new Error('statements are run by the runner of the store');
}) as unknown as StatementBuilder;

/** Makes a query lock the rows that it returns, which SQLite cannot. */
export function lockRows<Query>(query: Query): Query {
  return (query as unknown as PgSelect).for('update') as unknown as Query;
}
