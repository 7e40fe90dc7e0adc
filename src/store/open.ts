import { existsSync } from 'node:fs';
import { HkctlError } from '../core/errors.ts';
import type { Clock } from '../core/instants.ts';
import type { Store } from '../core/store.ts';
import type { Connection } from './sqlite/driver.ts';
import { claimFile, databaseNames, filesOf, openFile, removeDatabases } from './sqlite/files.ts';
import { requireSchemaVersion } from './sqlite/schema-versions.ts';
import { SqliteStore } from './sqlite/store.ts';

/** How a store is opened; the paths come from the composition root, which knows where the package lies. */
export interface StoreOptions {
  clock: Clock;
  /** Folder with the migrations of each database. */
  migrationsFolder: string;
  /** Script of the writer thread; without it readings are written at once, in this thread. */
  writerThread: string | undefined;
}

/** How long a command waits for another writer before it tells that the store is locked. */
const busyTimeoutMs = 5000;

/** Opens an existing store of this version: `store_absent`, `store_too_old`, `store_corrupt` … (exit 6). */
export function openStore(path: string, options: StoreOptions): Store {
  const registry = openFile(filesOf(path).registry, { busyTimeoutMs, create: false });
  try {
    requireSchemaVersion(registry, 'registry', path);
  } catch (thrown) {
    registry.close();
    throw thrown;
  }
  return new SqliteStore(path, registry, { ...options, busyTimeoutMs });
}

/** Makes a new store; `already_initialised` (exit 5) where any of its files is there. `:memory:` is kept nowhere. */
export async function createStore(path: string, options: StoreOptions): Promise<Store> {
  const files = filesOf(path);
  const isTaken = databaseNames.some((name) => existsSync(files[name]));
  // Claimed before anything is put into it: of two processes at once one makes the store.
  if (isTaken || !claimFile(files.registry)) {
    throw new HkctlError('already_initialised', `There is a store at ${path} already; nothing was touched.`, {
      hint: 'Name another place with --store PATH, or look at this one with: hkctl entities list',
    });
  }
  const { applyMigrations } = await import('./sqlite/migrations.ts');
  const opened: Connection[] = [];
  try {
    for (const name of databaseNames) {
      const connection = openFile(files[name], { busyTimeoutMs, create: true });
      opened.push(connection);
      applyMigrations(connection, name, options.migrationsFolder, path);
    }
  } catch (thrown) {
    // Half a store would be in the way of the next attempt.
    for (const connection of opened) connection.close();
    removeDatabases(files);
    throw thrown;
  }
  const [registry, records, readings] = opened;
  if (!registry) throw new Error('a store has a registry');
  return new SqliteStore(path, registry, { ...options, busyTimeoutMs, records, readings });
}

/** Applies the migrations that a store lacks, one database after the other; gives how many those were. */
export async function migrateStore(path: string, options: StoreOptions): Promise<{ applied: number }> {
  const { applyMigrations } = await import('./sqlite/migrations.ts');
  const files = filesOf(path);
  let applied = 0;
  for (const name of databaseNames) {
    const connection = openFile(files[name], { busyTimeoutMs, create: false });
    try {
      applied += applyMigrations(connection, name, options.migrationsFolder, path);
    } finally {
      connection.close();
    }
  }
  return { applied };
}
