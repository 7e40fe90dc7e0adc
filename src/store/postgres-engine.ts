import type { Engine } from '../core/operations/engine.ts';
import type { StoreOptions } from './engine/options.ts';
import { parseLocation } from './postgres/address/location.ts';
import { type Database, PooledDatabase } from './postgres/connection/database.ts';
import { requireSchemaVersion } from './postgres/schema/schema-version.ts';
import { createPostgresStore } from './postgres/store.ts';

/** The engine for the store in a PostgreSQL database. What few commands need is loaded when it is called. */
export function createPostgresEngine(address: string, options: StoreOptions): Engine {
  const location = parseLocation(address, options.env ?? {});
  const { migrationsFolder } = options;

  const using = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const database = new PooledDatabase(location);
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };

  const open = async () => {
    const database = new PooledDatabase(location);
    try {
      await requireSchemaVersion(await database.session());
      const store = createPostgresStore(database, options);
      // Also shows how far the clock of the database is ahead.
      await store.keys.version();
      return store;
    } catch (thrown) {
      await database.close();
      throw thrown;
    }
  };

  return {
    open,
    requireNone: () =>
      using(async (database) =>
        (await import('./postgres/migration.ts')).requireNoStore(await database.session()),
      ),
    async create(fill) {
      const { createStore } = await import('./postgres/migration.ts');
      await using((database) => createStore(database, options, fill));
      return open();
    },
    async migrate(check, request) {
      const { migrateStore } = await import('./postgres/migration.ts');
      return using((database) => migrateStore(database, options, check, request));
    },
    async backup(target, request) {
      const { writeBackup } = await import('./postgres/backup/backup.ts');
      return using((database) => writeBackup(database, target, { ...request, migrationsFolder }));
    },
    async restore(origin, hooks, expected) {
      const { restoreBackup } = await import('./postgres/restore/restoration.ts');
      return using((database) => restoreBackup(database, { origin, expected }, options, hooks));
    },
    inspect: async () => (await import('./postgres/inspection.ts')).inspectStore(using),
  };
}
