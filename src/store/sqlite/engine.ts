import type { Engine, StoreOptions } from '../engine.ts';
import { createStore, requireNoStore } from './creation.ts';
import { migrateStore } from './migration/migration.ts';
import { openStore } from './opening.ts';

/** The SQLite engine for the store at a path. What few commands need is loaded when it is called. */
export function createSqliteEngine(path: string, options: StoreOptions): Engine {
  const { migrationsFolder, rights } = options;
  const adminRights = () => (rights?.areAnothers() ? rights.withOwn : undefined);
  return {
    open: () => openStore(path, options),
    requireNone: () => requireNoStore(path),
    create: (fill) => createStore(path, options, fill),
    migrate: (check, request) => migrateStore(path, options, check, request),
    async backup(target, { nowMs, force, number }) {
      const { writeBackup } = await import('./backup/backup.ts');
      const withOwn = adminRights();
      if (!withOwn) return writeBackup(path, target, { nowMs, force, number, migrationsFolder });
      const { backupForAdmin } = await import('./backup/transfer.ts');
      const write = (file: string) => writeBackup(path, file, { nowMs, force: false, number, migrationsFolder });
      return backupForAdmin(path, target, { force, withOwn }, write);
    },
    async restore(file, hooks) {
      const { backupIn, restoreBackup } = await import('./restore/restoration.ts');
      const withOwn = adminRights();
      if (!withOwn) return restoreBackup(path, backupIn(file, options), options, hooks);
      const { backupOfAdmin } = await import('./backup/transfer.ts');
      return restoreBackup(path, backupOfAdmin(path, file, withOwn, options), options, hooks);
    },
    async inspect() {
      return (await import('./inspection.ts')).inspectStore(path, migrationsFolder);
    },
  };
}
