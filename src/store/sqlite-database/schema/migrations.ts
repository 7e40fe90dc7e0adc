import type { Connection } from '../driver.ts';
import { translating } from '../errors.ts';
import { type DatabaseName, upgradeTables } from './migrated-schema.ts';
import { requireNotNewer, schemaVersions } from './schema-versions.ts';

/**
 * Applies the missing migrations of a database and its new version, all or nothing, inside the running transaction if
 * there is one; returns their number. Readings of an older store are not moved by them: see `rebuildReadings`.
 */
export function applyMigrations(connection: Connection, name: DatabaseName, folder: string, path: string): number {
  const apply = connection.transaction(() => {
    // Read under the write lock: another process may have migrated already.
    const before = requireNotNewer(connection, name, path);
    upgradeTables(connection, name, before, folder);
    connection.pragma(`user_version = ${schemaVersions[name]}`);
    return schemaVersions[name] - before;
  });
  return translating(path, () => apply.immediate());
}
