import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { Connection } from '../driver.ts';
import { translating } from '../errors.ts';
import type { DatabaseName } from './migrated-schema.ts';
import { requireOwnSchema } from './own-schema.ts';
import { requireNotNewer, schemaVersions } from './schema-versions.ts';

/**
 * Applies the missing migrations of a database and its new version, all or nothing, inside the running transaction if
 * there is one; returns their number. Throws `store_corrupt` if a foreign trigger could run with them. Readings of an older store
 * are not moved by them: see `rebuildReadings`.
 */
export function applyMigrations(connection: Connection, name: DatabaseName, folder: string, path: string): number {
  const migrationsFolder = join(folder, name);
  if (!existsSync(migrationsFolder))
    throw new Error(`migrations are missing from this installation: ${migrationsFolder}`);
  const apply = connection.transaction(() => {
    // Read under the write lock: another process may have migrated already.
    const before = requireNotNewer(connection, name, path);
    requireOwnSchema(connection, path, { name, version: before, migrationsFolder: folder });
    const missing = readMigrationFiles({ migrationsFolder }).slice(before);
    for (const statement of missing.flatMap(({ sql }) => sql)) connection.exec(statement);
    connection.pragma(`user_version = ${schemaVersions[name]}`);
    return missing.length;
  });
  return translating(path, () => apply.immediate());
}
