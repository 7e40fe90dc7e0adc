import type { Engine } from '../../core/operations/engine.ts';
import type { StoreOptions } from '../shared/options.ts';
import { requireShort } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import { filesOf } from './connection/files.ts';
import { createStore, requireNoStore } from './creation.ts';
import { migrateStore } from './migration.ts';
import { openStoppedStore } from './opening.ts';

/** The SQLite engine for the store at a path. Modules that few commands need are loaded when they are called. */
export function createSqliteEngine(path: string, options: StoreOptions): Engine {
  const { migrationsFolder } = options;
  // A restore gives the store the longest of its names.
  const restoredFiles = filesOf(filesOf(path).restored);
  translating(path, () => requireShort(restoredFiles.readings));

  return {
    open: () => openStoppedStore(path, options),
    requireNone: () => requireNoStore(path),
    create: (fill) => createStore(path, options, fill),
    migrate: (check, request) => migrateStore(path, options, check, request),
    async backup(target, request) {
      const { writeBackup } = await import('./backup.ts');
      return writeBackup(path, target, { ...request, migrationsFolder });
    },
    async restore(origin, hooks, expected) {
      const { restoreBackup } = await import('./restoration.ts');
      return restoreBackup(path, { origin, expected }, options, hooks);
    },
    async inspect() {
      const { inspectStore } = await import('./inspection.ts');
      return inspectStore(path, migrationsFolder);
    },
  };
}
