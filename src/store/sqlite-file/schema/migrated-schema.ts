import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { type Connection, openDatabase, withConnection } from '../driver.ts';
import { type SchemaObject, schemaObjectsIn } from './schema-objects.ts';

export const databaseNames = ['registry', 'records', 'readings'] as const;
export type DatabaseName = (typeof databaseNames)[number];

interface MigratedSchema {
  objects: readonly SchemaObject[];
  tables: readonly OwnTable[];
}

export interface OwnTable {
  name: string;
  columns: readonly string[];
}

/** The schema of a database after its first `version` migrations, found by applying them in memory. */
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

/** Applies the first `version` migrations to the empty main database of a connection. */
export function makeTables(
  connection: Connection,
  name: DatabaseName,
  version: number,
  folder: string,
): void {
  for (const statement of migrationsOf(name, folder).slice(0, Math.max(version, 0)).flat())
    connection.exec(statement);
}

/** Applies the migrations of a database after the first `version` to its tables in the main database of a connection. */
export function upgradeTables(
  connection: Connection,
  name: DatabaseName,
  version: number,
  folder: string,
): void {
  for (const statement of migrationsOf(name, folder).slice(version).flat())
    connection.exec(statement);
}

/** The statements of each migration of a database, or of `postgres`, in the order of drizzle's journal. */
export function migrationsOf(name: DatabaseName | 'postgres', folder: string): string[][] {
  const migrationsFolder = join(folder, name);
  if (!existsSync(migrationsFolder))
    throw new Error(`migrations are missing from this installation: ${migrationsFolder}`);
  return readMigrationFiles({ migrationsFolder }).map(({ sql }) => sql);
}
