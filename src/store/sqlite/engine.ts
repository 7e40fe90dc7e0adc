import type { Engine } from '../../core/operations/engine.ts';
import type { StoreOptions } from '../shared/options.ts';
import { requireShort } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import { filesOf } from './connection/files.ts';
import { createStore, requireNoStore } from './creation.ts';
import { migrateStore } from './migration.ts';
import { openStoppedStore } from './opening.ts';

/** The SQLite engine for the store at a path. What few commands need is loaded when it is called. */
export function createSqliteEngine(path: string, options: StoreOptions): Engine {
  const { migrationsFolder } = options;
  // A restore gives the store the longest of its names.
  translating(path, () => requireShort(filesOf(filesOf(path).restored).readings));

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
      return (await import('./inspection.ts')).inspectStore(path, migrationsFolder);
    },
  };
}
