import { closeSync, existsSync, lstatSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterChange, HkctlError, isHkctlError } from '../../core/errors.ts';
import { syncFolderOf } from '../../core/files/new-file.ts';
import type { RestoreHooks, RestoreOutcome } from '../../core/operations/backups.ts';
import { stopCommand } from '../../core/operations/settings.ts';
import type { ClockSamples } from '../../core/port/clock.ts';
import type { Stop } from '../../core/port/stops.ts';
import type { Store } from '../../core/port/store.ts';
import {
  carriedMarks,
  copyDatabase,
  createPrivate,
  syncFile,
  waitingDrafts,
} from '../backup-file/copying.ts';
import type { OpenBackup } from '../backup-file/format.ts';
import {
  type PresentStore,
  type ReceivedBackup,
  type RestoreSource,
  readPresent,
  receiveAndOpen,
  stopRestored,
  unknownPresent,
} from '../backup-file/restoring.ts';
import { verifyBackup } from '../backup-file/verification.ts';
import { servedAt } from '../shared/errors.ts';
import type { StoreOptions } from '../shared/options.ts';
import { createClockStore } from '../shared/registry/clock.ts';
import { type Connection, withConnection } from '../sqlite-file/driver.ts';
import { toDomainError, translating } from '../sqlite-file/errors.ts';
import { migratedSchema } from '../sqlite-file/schema/migrated-schema.ts';
import {
  type DatabaseName,
  databaseNames,
  schemaVersions,
} from '../sqlite-file/schema/schema-versions.ts';
import {
  allowShorterFile,
  filesOf,
  makeFolder,
  openFile,
  removeSidecars,
  type StoreFiles,
  writeAhead,
} from './connection/files.ts';
import { lockOutDaemons, openAlone } from './connection/locks.ts';
import { openStore, putInPlace } from './opening.ts';
import { beginTimeline } from './records/imports.ts';
import { createRegistry } from './registry/registry.ts';
import { appendLines, markUncompared, readJournalFile } from './registry/revocation-journal.ts';
import { createRunner, runStatement } from './registry/statements.ts';
import { createSqliteStore } from './store.ts';

const hintOfServed = `Stop it, restore, and start it again. Under systemd: ${stopCommand}`;

/**
 * Replaces the store at a path by a verified backup, which is read once; `state_forbids` while a daemon serves the store. A restore
 * that is killed leaves the old store or the new one.
 */
export async function restoreBackup(
  storePath: string,
  source: RestoreSource,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<RestoreOutcome> {
  translating(storePath, () => makeFolder(dirname(storePath)));
  const isReadable = await authorizeInPresent(storePath, options, hooks);
  hooks.requireConfirmable?.(isThere(storePath));

  const backup = await receiveAndOpen(source, storePath, options);
  let letDaemonsIn: (() => void) | undefined;
  try {
    await hooks.confirm(backup.head, isThere(storePath));
    // Who was asked may have lost the right meanwhile.
    if (isReadable) await authorizeInPresent(storePath, options, hooks);
    await verifyBackup(backup, backup.shown);

    letDaemonsIn = lockOutDaemons(storePath, hintOfServed);
    putInPlace(storePath);
    const kept = await replaceStore(storePath, { backup, isReadable }, options, hooks);
    await completeRestored(storePath, options);
    return { facts: backup.head, kept, digest: backup.digest };
  } finally {
    letDaemonsIn?.();
    backup.discard();
  }
}

/** Checks the actor's right in the present store; false if there is none that this version can open. */
async function authorizeInPresent(
  storePath: string,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<boolean> {
  const store = openReadable(storePath, options);
  if (!store) return false;
  try {
    await hooks.authorize(store);
    const address = await store.daemon.address();
    if (address !== undefined) throw servedAt(address, hintOfServed);
    return true;
  } finally {
    await store.close();
  }
}

function openReadable(storePath: string, options: StoreOptions): Store | undefined {
  try {
    return openStore(storePath, { ...options, threads: undefined });
  } catch (thrown) {
    if (!isHkctlError(thrown) || !replaceableErrors.has(thrown.code)) throw thrown;
    if (thrown.code === 'store_corrupt') requireOtherFiles(storePath);
    return undefined;
  }
}

/** The errors of a store that cannot be opened but may be replaced by a backup. */
const replaceableErrors: ReadonlySet<string> = new Set([
  'store_absent',
  'store_corrupt',
  'store_too_old',
  'store_too_new',
]);

/** Without the other files it may be anything that a mistyped `--store` names, such as the backup itself. */
function requireOtherFiles(storePath: string): void {
  const { registry, ...otherFiles } = filesOf(storePath);
  if (!existsAny([registry]) || existsAny(Object.values(otherFiles))) return;
  throw new HkctlError(
    'store_corrupt',
    `${storePath} is no store of hkctl, and no other file of one is next to it.`,
    {
      hint: 'Name the store with --store PATH or HKCTL_STORE. Or, if this one is damaged, move it away and restore again.',
    },
  );
}

/** Whether there is a store, also one that cannot be opened. */
function isThere(storePath: string): boolean {
  const { registry, records, readings } = filesOf(storePath);
  return existsAny([registry, records, readings]);
}

function existsAny(files: readonly string[]): boolean {
  return files.some((filePath) => {
    const stats = translating(filePath, () => lstatSync(filePath, { throwIfNoEntry: false }));
    return stats !== undefined;
  });
}

interface Replacement {
  backup: ReceivedBackup;
  /** Whether the rows of the present store can be read. */
  isReadable: boolean;
}

/**
 * Builds the new store next to the present one, stops in it what the journal names, and switches. From the first read of the present
 * registry on no other process can open that, so that no stop is missed.
 */
async function replaceStore(
  storePath: string,
  { backup, isReadable }: Replacement,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<readonly Stop[]> {
  const { restored: preparedPath, ready, revocations: journal } = filesOf(storePath);
  const preparedFiles = filesOf(preparedPath);
  let presentRegistry: Connection | undefined;
  let restored: RestoredStore | undefined;
  try {
    removeDatabases(preparedFiles);
    makeDatabases(preparedFiles, backup, options.migrationsFolder, hooks.progress);
    presentRegistry = openRegistryAlone(storePath);
    restored = openRestored(preparedPath, options);

    const { present, clock } =
      presentRegistry && isReadable
        ? await readReplaced(presentRegistry, storePath, backup.connection)
        : unknownReplaced;
    // A time that the store has seen stays seen, or a key that expired since could come back to life.
    if (clock) await restored.store.clock.merge({ fromMs: 0, samples: clock });

    const sources = { journalText: readJournalFile(journal) ?? '', backup, present };
    const { stops, addedLines } = runStatement(
      stopRestored(restored.runner, sources, options.clock()),
    );
    // In the backup somebody may be a Super user who is none any more.
    if (!isReadable) await hooks.authorize(restored.store);
    const { digest } = backup;
    await hooks.audit(restored.store, { kept: stops, replaced: present.trail, digest });

    appendLines(journal, addedLines);
    await completeRegistry(restored);
    markReady(ready);
    putInPlace(storePath);
    return stops;
  } catch (thrown) {
    // Frees space first: the old registry gets its log back at its next opening, too.
    await restored?.store.close();
    if (!existsSync(ready)) removeDatabases(preparedFiles);
    throw toDomainError(thrown, storePath);
  } finally {
    presentRegistry?.close();
  }
}

function removeDatabases(files: StoreFiles): void {
  for (const name of databaseNames) {
    rmSync(files[name], { force: true });
    removeSidecars(files[name]);
  }
}

/** Undefined for a registry that is missing or damaged. Without WAL: closing it would delete the log of the new database of its name. */
function openRegistryAlone(path: string): Connection | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return openAlone(path, path, (registry) => registry.pragma('journal_mode = delete'));
  } catch (thrown) {
    if (isHkctlError(thrown) && thrown.code === 'store_corrupt') return undefined;
    throw thrown;
  }
}

type RestoredStore = ReturnType<typeof openRestored>;

/** Opens the new store for changes, which are in the file itself: a log that stays behind would not follow it to its place. */
function openRestored(preparedPath: string, options: StoreOptions) {
  const connection = openFile(filesOf(preparedPath).registry, options);
  const store = createSqliteStore(preparedPath, connection, { ...options, threads: undefined });
  connection.pragma('journal_mode = delete');
  connection.exec('begin immediate');
  const runner = createRunner(
    createRegistry(connection, preparedPath),
    filesOf(preparedPath).revocations,
  );
  return { connection, store, runner };
}

/** Commits the changes of the new store, and closes it. */
async function completeRegistry({ connection, store }: RestoredStore): Promise<void> {
  markUncompared(connection);
  connection.exec('commit');
  writeAhead(connection);
  await store.close();
}

interface ReplacedStore {
  present: PresentStore;
  clock?: ClockSamples;
}

const unknownReplaced: ReplacedStore = { present: unknownPresent };

/** Reads the facts that a restore needs from the registry of a store of this version; none of a damaged one. */
async function readReplaced(
  connection: Connection,
  storePath: string,
  backup: Connection,
): Promise<ReplacedStore> {
  const registry = createRegistry(connection, storePath);
  const runner = createRunner(registry, filesOf(storePath).revocations);
  try {
    const present = runStatement(readPresent(runner, backup));
    return { present, clock: await createClockStore(runner).read() };
  } catch (thrown) {
    if (isHkctlError(thrown) && thrown.code === 'store_corrupt') return unknownReplaced;
    throw thrown;
  }
}

/** From when its file is on disk on, the new store counts: the next process that opens the store puts it in place. */
function markReady(ready: string): void {
  translating(ready, () => {
    closeSync(openSync(ready, 'w', 0o600));
    syncFile(ready);
    syncFolderOf(ready);
  });
}

/** Opens the restored store for the first time, and purges the data of entities that stay removed, as their removal does. */
async function completeRestored(storePath: string, options: StoreOptions): Promise<void> {
  let store: Store | undefined;
  try {
    store = openStore(storePath, { ...options, threads: undefined });
    // Reading the trail completes the work that is left undone between the files.
    await store.audit.list('', { limit: 1 });
  } catch (thrown) {
    throw afterChange(
      thrown,
      'The store was restored, but its journal or the purge of removed entities is not complete yet; hkctl audit list goes on with it.',
    );
  } finally {
    await store?.close();
  }
}

function makeDatabases(
  files: StoreFiles,
  backup: ReceivedBackup,
  migrationsFolder: string,
  progress: RestoreHooks['progress'],
): void {
  const { shown } = backup;
  const total = translating(shown, () => rowsIn(backup, migrationsFolder));
  let done = 0;
  const copied = (rows: number) => {
    done += rows;
    progress?.(Math.min(1, done / total));
  };
  for (const name of databaseNames) {
    translating(files[name], () => {
      withConnection(createPrivate(files[name]), (connection) => {
        if (name === 'readings') allowShorterFile(connection);
        connection.exec('begin');
        copyDatabase(backup, connection, {
          name,
          migrationsFolder,
          without: startedAnew,
          copied,
        });
        addOwnRows(connection, name, backup.connection);
        connection.pragma(`user_version = ${schemaVersions[name]}`);
        connection.exec('commit');
        // A property of the file, which those who open it expect.
        connection.pragma('journal_mode = wal');
      });
      syncFile(files[name]);
    });
  }
}

const startedAnew: ReadonlySet<string> = new Set([
  'marks',
  'daemons',
  'audit_outbox',
  'record_epoch',
]);

function addOwnRows(to: Connection, name: DatabaseName, backup: Connection): void {
  if (name === 'registry') {
    const put = to.prepare<[string, number]>('insert into marks (name, value) values (?, ?)');
    for (const { name, value } of carriedMarks(backup)) put.run(name, value);
  } else if (name === 'records') {
    const put = to.prepare<[string]>('insert into audit_outbox (draft) values (?)');
    for (const draft of waitingDrafts(backup)) put.run(draft);
    // Ends sync tokens: mirrors have followed the store that is replaced, and what they have seen since the backup may be undone.
    beginTimeline(to);
  }
}

function rowsIn({ connection, versions }: OpenBackup, migrationsFolder: string): number {
  const tables = databaseNames.flatMap(
    (name) => migratedSchema(name, versions[name], migrationsFolder).tables,
  );
  const countOf = ({ name }: { name: string }) =>
    Number(connection.prepare(`select count(*) from "${name}"`).pluck().get());
  return tables.reduce((sum, table) => sum + countOf(table), 0);
}
