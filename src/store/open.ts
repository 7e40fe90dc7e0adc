import { requireDescriptors } from '../core/files/descriptors.ts';
import type { Engine } from '../core/operations/engine.ts';
import { isStoreAddress } from '../core/store-address.ts';
import type { StoreOptions } from './shared/options.ts';
import { createSqliteEngine } from './sqlite/engine.ts';

/** Three databases with their WAL, and pipes of threads. */
const neededDescriptors = 64;

/**
 * The engine for a store location: the address of a PostgreSQL database, or the path of a file, which means SQLite. Throws
 * `store_unreadable` if this process may open too few files.
 */
export function engineAt(location: string, options: StoreOptions): Engine {
  requireDescriptors(neededDescriptors);
  return isStoreAddress(location)
    ? latePostgresEngine(location, options)
    : createSqliteEngine(location, options);
}

/** PostgreSQL's engine, loaded when it is first used: a command on SQLite loads nothing of it. */
function latePostgresEngine(address: string, options: StoreOptions): Engine {
  const engine = async () =>
    (await import('./postgres/engine.ts')).createPostgresEngine(address, options);
  return {
    open: async () => (await engine()).open(),
    requireNone: async () => (await engine()).requireNone(),
    create: async (fill) => (await engine()).create(fill),
    migrate: async (check, request) => (await engine()).migrate(check, request),
    backup: async (target, request) => (await engine()).backup(target, request),
    restore: async (...request) => (await engine()).restore(...request),
    inspect: async () => (await engine()).inspect(),
  };
}
