import type { Engine } from '../../core/operations/engine.ts';
import type { StoreOptions } from '../shared/options.ts';
import { parseLocation } from './address/location.ts';
import { type Database, PooledDatabase } from './connection/database.ts';
import { requireSchemaVersion } from './schema/schema-version.ts';
import { createPostgresStore } from './store.ts';

/** The engine for the store in a PostgreSQL database. Code that few commands need is loaded when it is called. */
export function createPostgresEngine(address: string, options: StoreOptions): Engine {
  const location = parseLocation(address, options.env ?? {});
  const { migrationsFolder } = options;

  const withDatabase = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
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
      await database.exclusively(requireSchemaVersion);
      const store = createPostgresStore(database, options);
      // Also shows how far the clock of the database is ahead.
      await store.keys.changeCounter();
      return store;
    } catch (thrown) {
      await database.close();
      throw thrown;
    }
  };

  return {
    open,
    requireNone: () =>
      withDatabase(async (database) =>
        database.exclusively((await import('./migration.ts')).requireNoStore),
      ),
    async create(fill) {
      const { createStore } = await import('./migration.ts');
      await withDatabase((database) => createStore(database, options, fill));
      return open();
    },
    async migrate(check, request) {
      const { migrateStore } = await import('./migration.ts');
      return withDatabase((database) => migrateStore(database, options, check, request));
    },
    async backup(target, request) {
      const { writeBackup } = await import('./backup.ts');
      return withDatabase((database) =>
        writeBackup(database, target, { ...request, migrationsFolder }),
      );
    },
    async restore(origin, hooks, expected) {
      const { restoreBackup } = await import('./restoration.ts');
      return withDatabase((database) =>
        restoreBackup(database, { origin, expected }, options, hooks),
      );
    },
    inspect: async () => (await import('./inspection.ts')).inspectStore(withDatabase),
  };
}
