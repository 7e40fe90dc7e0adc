import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { HkctlError } from '../core/errors.ts';
import type { BackupFacts } from '../core/operations/backups.ts';
import type { MaybePromise } from '../core/port/maybe-promise.ts';
import type { Store } from '../core/port/store.ts';
import type { StoreOptions } from './options.ts';
import type { Connection } from './sqlite/connection/driver.ts';
import { translating } from './sqlite/connection/errors.ts';
import { databaseNames, filesOf, openFile } from './sqlite/connection/files.ts';
import { requireClosedFolder } from './sqlite/connection/safe-files.ts';
import { requireStorePath } from './sqlite/connection/store-path.ts';
import { finishRestore, openPresent } from './sqlite/restore/prepared.ts';
import { requireOwnSchema } from './sqlite/schema/own-schema.ts';
import { isEmpty, requireNotNewer, requireSchemaVersion } from './sqlite/schema/schema-versions.ts';
import { SqliteStore } from './sqlite/store.ts';

/** How long a command waits for another writer before it tells that the store is locked. */
const busyTimeoutMs = 5000;

/** Opens an existing store of this version: `store_absent`, `store_too_old`, `store_corrupt` … (exit 6). */
export function openStore(path: string, options: StoreOptions): Store {
  const waitMs = options.busyTimeoutMs ?? busyTimeoutMs;
  const registry = openRegistry(path, waitMs);
  try {
    requireSchemaVersion(registry, 'registry', path, options.migrationsFolder);
  } catch (thrown) {
    registry.close();
    throw thrown;
  }
  return new SqliteStore(path, registry, { ...options, busyTimeoutMs: waitMs });
}

/** The registry of a whole store; `store_absent` where there is none, or one that was never finished. */
function openRegistry(path: string, waitMs = busyTimeoutMs): Connection {
  const registry = openPresent(path, waitMs);
  if (registry) return registry;
  throw new HkctlError('store_absent', `The store at ${path} was never finished; it is empty.`, {
    hint: 'Make it with: hkctl init',
  });
}

/** Refuses a path at which there is a store, or a part of one: `already_initialised` (exit 5). */
export function requireNoStore(path: string): void {
  if (filesOf(path).revocations !== null) requireStorePath(path);
  finishRestore(path);
  const files = filesOf(path);
  if (files.revocations === null) return;
  if (!existsSync(files.registry)) {
    if (databaseNames.some((name) => existsSync(files[name]))) throw alreadyThere(path);
    return;
  }
  const registry = openFile(files.registry, { busyTimeoutMs, create: false });
  try {
    if (!isEmpty(registry, path)) throw alreadyThere(path);
  } finally {
    registry.close();
  }
}

/**
 * Makes a new store and puts into it what `fill` does; `already_initialised` (exit 5) where there is one. Killed at any
 * moment it leaves either a whole store or an empty file that the next attempt takes over. `:memory:` is kept nowhere.
 */
export async function createStore(
  path: string,
  options: StoreOptions,
  fill: (store: Store) => MaybePromise<void> = () => {},
): Promise<Store> {
  requireNoStore(path);
  if (path !== ':memory:') requireClosedFolder(dirname(path));
  const { applyMigrations } = await import('./sqlite/schema/migrations.ts');
  const files = filesOf(path);
  const opened: Connection[] = [];
  const open = (name: (typeof databaseNames)[number]) => {
    const connection = openFile(files[name], { busyTimeoutMs, create: true });
    opened.push(connection);
    return connection;
  };
  try {
    const registry = open('registry');
    // Tables and content of the registry come in one commit, after the other files: what another process can see of this
    // one is nothing or all. Of two at once the second waits here for the first.
    translating(path, () => registry.exec('begin immediate'));
    if (!isEmpty(registry, path)) throw alreadyThere(path);
    const [, records, readings] = databaseNames.map((name) => {
      const connection = name === 'registry' ? registry : open(name);
      applyMigrations(connection, name, options.migrationsFolder, path);
      return connection;
    });
    const store = new SqliteStore(path, registry, { ...options, busyTimeoutMs, records, readings });
    await fill(store);
    translating(path, () => registry.exec('commit'));
    return store;
  } catch (thrown) {
    // Closing takes back what was not committed.
    for (const connection of opened) connection.close();
    throw thrown;
  }
}

/**
 * Applies the migrations that a store lacks, one database after the other; gives how many those were. `judge` is shown the
 * store as it is before, and refuses by throwing: of an older version it can use the profiles and the audit trail.
 */
export async function migrateStore(
  path: string,
  options: StoreOptions,
  judge: (store: Store) => MaybePromise<void> = () => {},
): Promise<{ applied: number }> {
  const { applyMigrations } = await import('./sqlite/schema/migrations.ts');
  const files = filesOf(path);
  const registry = openRegistry(path);
  const store = new SqliteStore(path, registry, { ...options, busyTimeoutMs, writerThread: undefined });
  try {
    requireOwnSchema(registry, 'registry', path, requireNotNewer(registry, 'registry', path), options.migrationsFolder);
    await judge(store);
    let applied = 0;
    for (const name of databaseNames) {
      const connection = name === 'registry' ? registry : openFile(files[name], { busyTimeoutMs, create: false });
      try {
        applied += applyMigrations(connection, name, options.migrationsFolder, path);
      } finally {
        if (name !== 'registry') connection.close();
      }
    }
    return { applied };
  } finally {
    await store.close();
  }
}

/** Writes all of a store into one file, see `sqlite/backup.ts`. */
export async function backupStore(
  path: string,
  target: string,
  nowMs: number,
  force: boolean,
  { migrationsFolder }: Pick<StoreOptions, 'migrationsFolder'>,
): Promise<BackupFacts> {
  const { writeBackup } = await import('./sqlite/backup/backup.ts');
  return writeBackup(path, target, nowMs, force, migrationsFolder);
}

function alreadyThere(path: string): HkctlError {
  return new HkctlError('already_initialised', `There is a store at ${path} already; nothing was touched.`, {
    hint: 'Name another place with --store PATH, or look at this one with: hkctl entities list',
  });
}
