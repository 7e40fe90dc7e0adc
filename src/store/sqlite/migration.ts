import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Store } from '../../core/port/store.ts';
import type { StoreOptions } from '../engine.ts';
import { databaseNames, filesOf, openFile } from './connection/files.ts';
import { busyTimeoutMs, openRegistry } from './opening.ts';
import { requireOwnSchema } from './schema/own-schema.ts';
import { requireNotNewer } from './schema/schema-versions.ts';
import { SqliteStore } from './store.ts';

/**
 * Applies the missing migrations of a store, one database after the other, and returns their number. `check` receives the
 * store before the migration and refuses by throwing: of an older store it can use the profiles and the audit trail.
 */
export async function migrateStore(
  path: string,
  options: StoreOptions,
  check: (store: Store) => MaybePromise<void> = () => {},
): Promise<{ applied: number }> {
  const { applyMigrations } = await import('./schema/migrations.ts');
  const files = filesOf(path);
  const registry = openRegistry(path);
  const store = new SqliteStore(path, registry, { ...options, busyTimeoutMs, writerThread: undefined });
  try {
    requireOwnSchema(registry, 'registry', path, requireNotNewer(registry, 'registry', path), options.migrationsFolder);
    await check(store);
    let applied = 0;
    for (const name of databaseNames) {
      const connection = name === 'registry' ? registry : openFile(files[name], { busyTimeoutMs, create: false });
      try {
        applied += applyMigrations(connection, name, options.migrationsFolder, path);
      } finally {
        if (name !== 'registry') connection.close();
      }
    }
    return { applied };
  } finally {
    await store.close();
  }
}
