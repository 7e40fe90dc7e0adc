import type { Engine } from '../../core/operations/engine.ts';
import type { StoreOptions } from '../shared/options.ts';
import { requireShort } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import { filesOf } from './connection/files.ts';
import { createStore, requireNoStore } from './creation.ts';
import { migrateStore } from './migration.ts';
import { openStoppedStore } from './opening.ts';

/** The SQLite engine for the store at a path. Modules that few commands need are loaded when they are called. */
export function createSqliteEngine(storePath: string, options: StoreOptions): Engine {
  const { migrationsFolder } = options;
  // A restore gives the store the longest of its names.
  const restoredFiles = filesOf(filesOf(storePath).restored);
  translating(storePath, () => requireShort(restoredFiles.readings));

  return {
    open: () => openStoppedStore(storePath, options),
    requireNone: () => requireNoStore(storePath),
    create: (fill) => createStore(storePath, options, fill),
    migrate: (check, request) => migrateStore(storePath, options, check, request),
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
