import { parse } from 'node:path';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Store } from '../../core/port/store.ts';
import { beforeMigration } from '../backup-file/before-migration.ts';
import type { MigrationOutcome, StoreOptions } from '../engine.ts';
import type { Connection } from './connection/driver.ts';
import { translating } from './connection/errors.ts';
import { type DatabaseName, databaseNames, filesOf, openFile } from './connection/files.ts';
import { openRegistry } from './opening.ts';
import { requireOwnSchema } from './schema/own-schema.ts';
import { requireNotNewer, schemaVersions } from './schema/schema-versions.ts';
import { SqliteStore } from './store.ts';

/**
 * Applies the missing migrations of a store, those of all its databases or none, and returns their number. `check` receives
 * the store before the migration and refuses by throwing: of an older store it can use the profiles and the audit trail.
 * Unless `withoutBackup` is set, a backup of the old store is written beside it first.
 */
export async function migrateStore(
  path: string,
  options: StoreOptions,
  check: (store: Store) => MaybePromise<void> = () => {},
  { withoutBackup = false } = {},
): Promise<MigrationOutcome> {
  const files = filesOf(path);
  const registry = openRegistry(path);
  const store = new SqliteStore(path, registry, { ...options, threads: undefined });
  const databases: [DatabaseName, Connection][] = [['registry', registry]];
  try {
    const version = requireNotNewer(registry, 'registry', path);
    requireOwnSchema(registry, path, { name: 'registry', version, migrationsFolder: options.migrationsFolder });
    await check(store);
    for (const name of databaseNames) {
      if (name !== 'registry') databases.push([name, openFile(files[name])]);
    }
    const versions = databases.map(([name, open]) => ({ name, version: requireNotNewer(open, name, path) }));
    if (versions.every(({ name, version }) => version === schemaVersions[name])) return { applied: 0 };
    // An interrupted `init` or restore can leave a database without tables; a backup of that could not be restored.
    const isWhole = versions.every(({ version }) => version > 0);
    const backup = withoutBackup || !isWhole ? undefined : await backUp(path, options);
    return { applied: await applyToAll(databases, path, options.migrationsFolder), backup };
  } finally {
    for (const [name, open] of databases) if (name !== 'registry') open.close();
    await store.close();
  }
}

/** Writes the backup beside the store, which its account can always write, and returns its path. */
async function backUp(path: string, { clock, migrationsFolder }: StoreOptions): Promise<string> {
  const { writeBackup } = await import('./backup/backup.ts');
  const { dir, name } = parse(path);
  const target = beforeMigration(dir, name, clock());
  await writeBackup(path, target, { nowMs: clock(), force: false, migrationsFolder });
  return target;
}

/**
 * Migrates each database in a transaction of its own and commits when all are migrated. A process that is killed between
 * two commits leaves a store that is too old, and the same command completes it.
 */
async function applyToAll(databases: readonly [DatabaseName, Connection][], path: string, folder: string) {
  const { applyMigrations } = await import('./schema/migrations.ts');
  try {
    for (const [, open] of databases) translating(path, () => open.exec('begin immediate'));
    const applied = databases.map(([name, open]) => applyMigrations(open, name, folder, path));
    for (const [, open] of databases) translating(path, () => open.exec('commit'));
    return applied.reduce((sum, number) => sum + number, 0);
  } catch (thrown) {
    for (const [, open] of databases) if (open.inTransaction) open.exec('rollback');
    throw thrown;
  }
}
