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
