import type { Engine } from '../core/operations/engine.ts';
import { isStoreAddress } from '../core/store-address.ts';
import type { StoreOptions } from './engine/options.ts';
import { filesOf } from './sqlite/connection/files.ts';
import { createStore, requireNoStore } from './sqlite/creation.ts';
import { migrateStore } from './sqlite/migration/migration.ts';
import { openStoppedStore } from './sqlite/opening.ts';
import { requireShort } from './sqlite-database/driver.ts';
import { translating } from './sqlite-database/errors.ts';

/** The engine for a store location: the address of a PostgreSQL database, or the path of a file, which means SQLite. */
export function engineAt(location: string, options: StoreOptions): Engine {
  return isStoreAddress(location)
    ? lateEngine(location, options)
    : createSqliteEngine(location, options);
}

/** PostgreSQL's engine, loaded when it is first used: a command on SQLite loads nothing of it. */
function lateEngine(address: string, options: StoreOptions): Engine {
  const engine = async () =>
    (await import('./postgres-engine.ts')).createPostgresEngine(address, options);
  return {
    open: async () => (await engine()).open(),
    requireNone: async () => (await engine()).requireNone(),
    create: async (fill) => (await engine()).create(fill),
    migrate: async (check, request) => (await engine()).migrate(check, request),
    backup: async (target, request) => (await engine()).backup(target, request),
    restore: async (...of) => (await engine()).restore(...of),
    inspect: async () => (await engine()).inspect(),
  };
}

/** The SQLite engine for the store at a path. What few commands need is loaded when it is called. */
function createSqliteEngine(path: string, options: StoreOptions): Engine {
  const { migrationsFolder } = options;
  // A restore gives the store the longest of its names.
  translating(path, () => requireShort(filesOf(filesOf(path).restored).readings));
  return {
    open: () => openStoppedStore(path, options),
    requireNone: () => requireNoStore(path),
    create: (fill) => createStore(path, options, fill),
    migrate: (check, request) => migrateStore(path, options, check, request),
    async backup(target, request) {
      const { writeBackup } = await import('./sqlite/backup/backup.ts');
      return writeBackup(path, target, { ...request, migrationsFolder });
    },
    async restore(origin, hooks, expected) {
      const { restoreBackup } = await import('./sqlite/restore/restoration.ts');
      return restoreBackup(path, { origin, expected }, options, hooks);
    },
    async inspect() {
      return (await import('./sqlite/inspection.ts')).inspectStore(path, migrationsFolder);
    },
  };
}
