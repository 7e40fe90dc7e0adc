import { bigint, customType } from 'drizzle-orm/pg-core';

/** Text that sorts and compares byte by byte, as in SQLite, whatever the locale of the database is. */
export const bytewiseText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

/** A value as JSON text. Unlike PostgreSQL's own JSON types it keeps every character and number as JavaScript wrote it. */
export function jsonText<T>(name: string) {
  return customType<{ data: T; driverData: string }>({
    dataType: () => 'text',
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (text) => JSON.parse(text) as T, // written by toDriver
  })(name);
}

/** A whole number of up to 53 bits, such as an instant in milliseconds or microseconds. */
export function wholeNumber(name: string) {
  return bigint(name, { mode: 'number' });
}

/** The last instant that has a year of four digits, in epoch milliseconds. */
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** A double represents no more microseconds exactly. */
const mostUs = Number.MAX_SAFE_INTEGER;

/** SQL that is true for an instant in milliseconds that can be shown: the log-in of a daemon can write any number into some tables. */
export const isShownMs = (column: string) => `${column} between 0 and ${latestMs}`;

/** SQL that is true for an instant in microseconds that can be shown. */
export const isShownUs = (column: string) => `${column} between ${-mostUs} and ${mostUs}`;

/** SQL for the nearest instant in milliseconds that can be shown; null stays null. */
export const shownMs = (column: string) =>
  `case when ${column} is not null then least(greatest(${column}, 0), ${latestMs}) end`;

/** SQL for the nearest instant in microseconds that can be shown. */
export const shownUs = (column: string) => `least(greatest(${column}, ${-mostUs}), ${mostUs})`;

/** An instant in milliseconds that the log-in of a daemon writes; read as one that can be shown. */
export const instantOfDaemons = customType<{ data: number; driverData: string | number }>({
  dataType: () => 'bigint',
  fromDriver: (value) => Math.min(Math.max(Number(value), 0), latestMs),
});

/** A text that the log-in of a daemon writes; read as a short one. */
export const textOfDaemons = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  fromDriver: (text) => text.slice(0, mostCharacters),
});

/** No address of a client is longer. */
const mostCharacters = 64;
