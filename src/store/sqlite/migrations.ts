import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import type { Connection } from './driver.ts';
import { translating } from './errors.ts';
import type { DatabaseName } from './files.ts';
import { readSchemaVersion, requireSchemaVersion, schemaVersions } from './schema-versions.ts';

/** Applies the migrations that a database lacks, all or nothing; gives how many those were. */
export function applyMigrations(connection: Connection, name: DatabaseName, folder: string, path: string): number {
  const migrationsFolder = join(folder, name);
  if (!existsSync(migrationsFolder))
    throw new Error(`migrations are missing from this installation: ${migrationsFolder}`);
  const before = readSchemaVersion(connection, path);
  if (before > schemaVersions[name]) requireSchemaVersion(connection, name, path);
  return translating(path, () => {
    migrate(drizzle(connection), { migrationsFolder });
    connection.pragma(`user_version = ${schemaVersions[name]}`);
    return schemaVersions[name] - before;
  });
}
