import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { daySumsOfHours } from '../chunks/hour-summaries.ts';
import { type Connection, openDatabase, withConnection } from '../driver.ts';
import { type SchemaObject, schemaObjectsIn } from './schema-objects.ts';

export const databaseNames = ['registry', 'records', 'readings'] as const;
export type DatabaseName = (typeof databaseNames)[number];

/** The version that the first migration of a database makes; the versions before it were never released. */
export const initialVersions: Record<DatabaseName, number> = {
  registry: 3,
  records: 2,
  readings: 3,
};

interface MigratedSchema {
  objects: readonly SchemaObject[];
  tables: readonly OwnTable[];
}

export interface OwnTable {
  name: string;
  columns: readonly string[];
  /** In SQL, of the rows that are meant; all by default. */
  condition?: string;
}

/** The schema of a version of a database, found by applying its migrations in memory. */
export function migratedSchema(
  name: DatabaseName,
  version: number,
  folder: string,
): MigratedSchema {
  return withConnection(openDatabase(':memory:', {}), (connection) => {
    makeTables(connection, name, version, folder);
    const columns = connection
      .prepare<[string], string>('select name from pragma_table_info(?)')
      .pluck();
    const objects = schemaObjectsIn(connection);
    const tables = objects
      .filter(({ type, name: table }) => type === 'table' && !String(table).startsWith('sqlite_'))
      .map((object) => ({ name: String(object.name), columns: columns.all(String(object.name)) }));
    return { objects, tables };
  });
}

/** Makes the tables of a version in the empty main database of a connection. */
export function makeTables(
  connection: Connection,
  name: DatabaseName,
  version: number,
  folder: string,
): void {
  const count = migrationsUpTo(version, initialVersions[name]);
  const migrations = migrationsOf(name, folder).slice(0, count);
  runAll(connection, migrations);
}

/**
 * Applies the migrations of a database after `version` (0 without tables) to its tables in the main database of a connection, and
 * returns their number.
 */
export function upgradeTables(
  connection: Connection,
  name: DatabaseName,
  version: number,
  folder: string,
): number {
  const appliedCount = migrationsUpTo(version, initialVersions[name]);
  const missing = migrationsOf(name, folder).slice(appliedCount);
  runAll(connection, missing);
  return missing.length;
}

function runAll(connection: Connection, migrations: readonly string[][]): void {
  // SQL alone cannot write the sums of a day.
  connection.function('day_sums_of_hours', (json) => daySumsOfHours(JSON.parse(String(json))));
  for (const statement of migrations.flat()) connection.exec(statement);
}

/** The number of migrations that have made a version; 0 for a database without tables, whose version is 0. */
export function migrationsUpTo(version: number, initialVersion: number): number {
  return Math.max(version - initialVersion + 1, 0);
}

/** The statements of each migration of a database, or of `postgres`, in the order of drizzle's journal. */
export function migrationsOf(name: DatabaseName | 'postgres', folder: string): string[][] {
  const migrationsFolder = join(folder, name);
  if (!existsSync(migrationsFolder))
    throw new Error(`migrations are missing from this installation: ${migrationsFolder}`);
  return readMigrationFiles({ migrationsFolder }).map(({ sql }) => sql);
}
