import { existsSync, statSync } from 'node:fs';
import { dirname, parse } from 'node:path';
import { HkctlError } from '../../core/errors.ts';
import { modeText } from '../../core/files/path-faults.ts';
import type { MigrationOutcome, MigrationRequest } from '../../core/operations/engine.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Store } from '../../core/port/store.ts';
import { shellWord } from '../../core/text/quoting.ts';
import { beforeMigration } from '../backup-file/target.ts';
import { alreadyThere } from '../shared/errors.ts';
import type { StoreOptions } from '../shared/options.ts';
import { findUserBeforeMigration } from '../shared/registry/users.ts';
import { type Connection, withConnection } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import { applyMigrations } from '../sqlite-file/schema/migrated-schema.ts';
import {
  type DatabaseName,
  databaseNames,
  isEmpty,
  requireKnownVersion,
  schemaVersions,
} from '../sqlite-file/schema/schema-versions.ts';
import { filesOf, openFile } from './connection/files.ts';
import { Reserve } from './connection/reserve.ts';
import { finishRestore, openRegistry } from './opening.ts';
import { createExecutor, dialect } from './registry/registry.ts';
import { createSqliteStore } from './store.ts';

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
    // The tables and rows of the registry come in one commit, after the other files. Another process sees either nothing of
    // this store or all of it. If two processes create it at once, the second one waits here for the first.
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

type Versions = Record<DatabaseName, number>;

/**
 * Applies the missing migrations of all databases or none, after a backup, and returns their number. `check` receives the store
 * before that, and refuses by throwing: of an older one it can use the profiles and the audit trail.
 */
export async function migrateStore(
  path: string,
  options: StoreOptions,
  check: (store: Store) => MaybePromise<void> = () => {},
  { withoutBackup = false }: MigrationRequest = {},
): Promise<MigrationOutcome> {
  const registry = openRegistry(path);
  const store = createSqliteStore(path, registry, { ...options, threads: undefined });
  try {
    const version = requireKnownVersion(registry, 'registry', path);
    const read = <T>(work: () => T) => translating(path, work);
    const writing = { ...createExecutor({ connection: registry, read }), dialect };
    const users = { ...store.users, findByLogin: findUserBeforeMigration(writing) };
    await check({ ...store, users });
    const versions = versionsAt(path, version);
    const missing = databaseNames.filter((name) => versions[name] < schemaVersions[name]);
    if (missing.length === 0) return { applied: 0 };

    // An interrupted `init` or restore can leave a database without tables; a backup of that could not be restored.
    const isWhole = databaseNames.every((name) => versions[name] > 0);
    const isBackedUp = isWhole && !withoutBackup;
    const backup = isBackedUp ? await backUp(path, options) : undefined;
    return { applied: await applyToAll(registry, path, options.migrationsFolder), backup };
  } finally {
    await store.close();
  }
}

function versionsAt(path: string, registry: number): Versions {
  const files = filesOf(path);
  const versionOf = (name: DatabaseName) =>
    withConnection(openFile(files[name]), (connection) =>
      requireKnownVersion(connection, name, path),
    );
  return { registry, records: versionOf('records'), readings: versionOf('readings') };
}

/** Writes the backup next to the store, which its account can always write, and returns its path. */
async function backUp(path: string, { clock, migrationsFolder }: StoreOptions): Promise<string> {
  const { writeBackup } = await import('./backup.ts');
  const { dir, name } = parse(path);
  const target = beforeMigration(dir, name, clock());
  await writeBackup(path, target, { nowMs: clock(), force: false, migrationsFolder });
  return target;
}

/** A process that is killed between two commits leaves a store that is too old, and the same command completes it. */
async function applyToAll(registry: Connection, path: string, folder: string): Promise<number> {
  const files = filesOf(path);
  const others = databaseNames.filter((name) => name !== 'registry');
  const databases: [DatabaseName, Connection][] = [['registry', registry]];
  try {
    for (const name of others) databases.push([name, openFile(files[name])]);
    for (const [, open] of databases) translating(path, () => open.exec('begin immediate'));
    const applied = databases.map(([name, open]) => applyMigrations(open, name, folder, path));
    for (const [, open] of databases) translating(path, () => open.exec('commit'));
    return applied.reduce((sum, number) => sum + number, 0);
  } catch (thrown) {
    for (const [, open] of databases) if (open.inTransaction) open.exec('rollback');
    throw thrown;
  } finally {
    for (const [name, open] of databases) if (name !== 'registry') open.close();
  }
}
