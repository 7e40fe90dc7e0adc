import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { HkctlError } from '../../core/errors.ts';
import { modeText } from '../../core/files/path-faults.ts';
import type { Engine } from '../../core/operations/engine.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Store } from '../../core/port/store.ts';
import { shellWord } from '../../core/text/quoting.ts';
import { alreadyThere } from '../shared/errors.ts';
import type { StoreOptions } from '../shared/options.ts';
import { type Connection, requireShort, withConnection } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import { type DatabaseName, databaseNames } from '../sqlite-file/schema/migrated-schema.ts';
import { applyMigrations, isEmpty } from '../sqlite-file/schema/schema-versions.ts';
import { filesOf, openFile } from './connection/files.ts';
import { Reserve } from './connection/reserve.ts';
import { migrateStore } from './migration.ts';
import { finishRestore, openStore } from './opening.ts';
import { createSqliteStore } from './store.ts';

/** The SQLite engine for the store at a path. Modules that few commands need are loaded when they are called. */
export function createSqliteEngine(storePath: string, options: StoreOptions): Engine {
  const { migrationsFolder } = options;
  // A restore gives the store the longest of its names.
  const restoredFiles = filesOf(filesOf(storePath).restored);
  translating(storePath, () => requireShort(restoredFiles.readings));

  return {
    open: () => openStore(storePath, options),
    requireNone: () => requireNoStore(storePath),
    create: (fill) => createStore(storePath, options, fill),
    migrate: (check, request) => migrateStore(storePath, options, check, request),
    async backup(target, request) {
      const { writeBackup } = await import('./backup.ts');
      return writeBackup(storePath, target, { ...request, migrationsFolder });
    },
    async restore(origin, hooks, expected) {
      const { restoreBackup } = await import('./restoration.ts');
      return restoreBackup(storePath, { origin, expected }, options, hooks);
    },
    async inspect() {
      const { inspectStore } = await import('./inspection.ts');
      return inspectStore(storePath, migrationsFolder);
    },
  };
}

/** Refuses a path at which there is a store, or a part of one: `already_initialised` (exit 5). */
export function requireNoStore(path: string): void {
  finishRestore(path);
  const files = filesOf(path);
  if (!existsSync(files.registry)) {
    if (databaseNames.some((name) => existsSync(files[name]))) throw alreadyThere(path, ' PATH');
    return;
  }
  if (!withConnection(openFile(files.registry), (registry) => isEmpty(registry, path)))
    throw alreadyThere(path, ' PATH');
}

/** `already_initialised` (exit 5) if there is a store. A kill leaves a complete one or an empty file to take over. */
export async function createStore(
  path: string,
  options: StoreOptions,
  fill: (store: Store) => MaybePromise<void> = () => {},
): Promise<Store> {
  requireNoStore(path);
  requireClosedFolder(dirname(path));
  const files = filesOf(path);
  const registry = openFile(files.registry, { create: true });
  const store = createSqliteStore(path, registry, {
    ...options,
    reserve: new Reserve(files.reserve, path),
  });
  const migrate = (connection: Connection, name: DatabaseName) =>
    applyMigrations(connection, name, options.migrationsFolder, path);
  try {
    // The tables and rows of the registry come in one commit, after the other files: another process sees either nothing
    // of this store or all of it. If two processes create it at once, the second one waits here for the first.
    translating(path, () => registry.exec('begin immediate'));
    if (!isEmpty(registry, path)) throw alreadyThere(path, ' PATH');
    migrate(registry, 'registry');
    for (const name of ['records', 'readings'] as const)
      withConnection(
        openFile(files[name], { create: true, canShorten: name === 'readings' }),
        (connection) => migrate(connection, name),
      );
    await fill(store);
    translating(path, () => registry.exec('commit'));
    return store;
  } catch (thrown) {
    // Closing a connection rolls back what it has not committed.
    await store.close();
    throw thrown;
  }
}

/** Refuses a folder for a new store that every account can write, and so replace the store: `store_unreadable` (exit 6). */
function requireClosedFolder(folder: string): void {
  const mode = (statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o7777;
  // In a sticky folder such as /tmp no account can rename the files of others.
  if ((mode & 0o002) === 0 || (mode & 0o1000) !== 0) return;
  throw new HkctlError(
    'store_unreadable',
    `Every account can write the folder ${folder} (mode ${modeText(mode)}), and put another store in place of this one.`,
    {
      hint: `Close it first with: chmod 700 ${shellWord(folder)}. Or name another place with --store PATH.`,
    },
  );
}
