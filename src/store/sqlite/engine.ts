import type { Engine, StoreOptions } from '../engine.ts';
import { createStore, requireNoStore } from './creation.ts';
import { migrateStore } from './migration/migration.ts';
import { openStore } from './opening.ts';

/** The SQLite engine for the store at a path. What few commands need is loaded when it is called. */
export function createSqliteEngine(path: string, options: StoreOptions): Engine {
  const { migrationsFolder } = options;
  return {
    open: () => openStore(path, options),
    requireNone: () => requireNoStore(path),
    create: (fill) => createStore(path, options, fill),
    migrate: (check, request) => migrateStore(path, options, check, request),
    async backup(target, request) {
      const { writeBackup } = await import('./backup/backup.ts');
      return writeBackup(path, target, { ...request, migrationsFolder });
    },
    async restore(file, hooks) {
      const { restoreBackup } = await import('./restore/restoration.ts');
      return restoreBackup(path, file, options, hooks);
    },
    async inspect() {
      return (await import('./inspection.ts')).inspectStore(path, migrationsFolder);
    },
  };
}
