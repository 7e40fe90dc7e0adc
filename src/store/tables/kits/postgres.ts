import {
  bigint,
  boolean,
  check,
  customType,
  doublePrecision,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { TableKit } from './sqlite.ts';

/** Text in the order of SQLite, whatever the locale of the database is. */
export const bytewiseText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

export const wholeNumber = (name: string) => bigint(name, { mode: 'number' });

/** JSON in a text, as SQLite has it: it comes back character by character. */
const json = customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (text) => JSON.parse(text),
});

const postgresBuilders = {
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

/**
 * The kit of PostgreSQL with the types of SQLite's. Drizzle types the builders of the two engines apart, although those that
 * tables and statements use here have the same methods; the conformance tests run every statement on both engines.
 */
export const postgresKit = postgresBuilders as unknown as TableKit;
