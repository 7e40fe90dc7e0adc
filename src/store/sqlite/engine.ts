import type { Engine } from '../../core/operations/engine.ts';
import type { StoreOptions } from '../shared/options.ts';
import { requireShort } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import { filesOf } from './connection/files.ts';
import { openStore } from './opening.ts';

/** The SQLite engine for the store at a path. Modules that few commands need are loaded when they are called. */
export function createSqliteEngine(storePath: string, options: StoreOptions): Engine {
  const { migrationsFolder } = options;
  // A restore gives the store the longest of its names.
  const restoredFiles = filesOf(filesOf(storePath).restored);
  translating(storePath, () => requireShort(restoredFiles.readings));

  return {
    open: () => openStore(storePath, options),
    async requireNone() {
      const { requireNoStore } = await import('./migration.ts');
      requireNoStore(storePath);
    },
    async create(fill) {
      const { createStore } = await import('./migration.ts');
      return createStore(storePath, options, fill);
    },
    async migrate(check, request) {
      const { migrateStore } = await import('./migration.ts');
      return migrateStore(storePath, options, check, request);
    },
    async backup(target, request) {
      const { writeBackup } = await import('./backup.ts');
      return writeBackup(storePath, target, { ...request, migrationsFolder });
    },
    async restore(origin, hooks, expected) {
      const { restoreBackup } = await import('./restoration.ts');
      return restoreBackup(storePath, { origin, expected }, options, hooks);
    },
    async inspect() {
      const { inspectStore } = await import('./inspection.ts');
      return inspectStore(storePath, migrationsFolder);
    },
  };
}
