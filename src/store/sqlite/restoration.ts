import { closeSync, existsSync, lstatSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterChange, HkctlError, isHkctlError } from '../../core/errors.ts';
import { syncFolderOf } from '../../core/files/new-file.ts';
import type { RestoreHooks, RestoreOutcome } from '../../core/operations/backups.ts';
import { stopCommand } from '../../core/operations/stopping.ts';
import type { ClockSamples } from '../../core/port/clock.ts';
import type { KeptStopped } from '../../core/port/stops.ts';
import type { Store } from '../../core/port/store.ts';
import { type Replacement, type RestoreSource, restoreFrom } from '../backup-file/restoring.ts';
import { syncFile } from '../backup-file/rows.ts';
import { type PresentStore, readPresent, unknownPresent } from '../backup-file/stops.ts';
import type { StoreOptions } from '../shared/options.ts';
import { createClockStore } from '../shared/registry/clock.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { toDomainError, translating } from '../sqlite-file/errors.ts';
import { databaseNames } from '../sqlite-file/schema/migrated-schema.ts';
import {
  filesOf,
  makeFolder,
  openFile,
  removeSidecars,
  type StoreFiles,
  writeAhead,
} from './connection/files.ts';
import { openAlone, withoutDaemons } from './connection/locks.ts';
import { openStoppedStore, openStore } from './opening.ts';
import { putInPlace } from './prepared.ts';
import { dialect } from './registry/dialect.ts';
import { createExecutor } from './registry/executor.ts';
import { createRegistry } from './registry/registry.ts';
import { appendLines, markJournal, readJournalFile } from './registry/revocation-journal.ts';
import { createRunner } from './registry/statements.ts';
import { makeDatabases } from './restored-databases.ts';
import { createSqliteStore } from './store.ts';

export function restoreBackup(
  storePath: string,
  source: RestoreSource,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<RestoreOutcome> {
  translating(storePath, () => makeFolder(dirname(storePath)));

  const { registry, records, readings } = filesOf(storePath);
  const hintOfServed = `Stop it, restore, and start it again. Under systemd: ${stopCommand}`;
  const target = {
    workPath: storePath,
    hintOfServed,
    isThere: () => existsAny([registry, records, readings]),
    async withPresent<T>(operation: (store: Store) => Promise<T>) {
      const store = openReadable(storePath, options);
      if (!store) return undefined;
      try {
        return await operation(store);
      } finally {
        await store.close();
      }
    },
    replace(replacement: Replacement) {
      return withoutDaemons(storePath, hintOfServed, async () => {
        const stops = await replaceBy(replacement, storePath, options);
        await purgeKept(storePath, options, stops);
      });
    },
  };
  return restoreFrom(source, target, options, hooks);
}

function existsAny(files: readonly string[]): boolean {
  return files.some((filePath) => {
    const stats = translating(filePath, () => lstatSync(filePath, { throwIfNoEntry: false }));
    return stats !== undefined;
  });
}

function openReadable(storePath: string, options: StoreOptions): Store | undefined {
  try {
    return openStoppedStore(storePath, { ...options, threads: undefined });
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

/**
 * Builds the new store next to the one at `storePath` and completes it while no other process can have the old one open, so that no
 * change is missed. A small file decides: before it is on disk the old store is valid, afterwards the new one, and the next process
 * that opens the store puts it in place. Throws `state_forbids` while another process has the old store open.
 */
async function replaceBy(
  replacement: Replacement,
  storePath: string,
  options: StoreOptions,
): Promise<readonly KeptStopped[]> {
  putInPlace(storePath);
  const { restored: preparedPath, ready } = filesOf(storePath);
  const files = filesOf(preparedPath);
  let replacedRegistry: Connection | undefined;
  try {
    removeDatabases(files);
    makeDatabases(files, replacement, options.migrationsFolder);
    replacedRegistry = existsSync(storePath) ? openRegistryAlone(storePath) : undefined;
    const stops = await completeRestore(
      replacement,
      { storePath, preparedPath, replacedRegistry },
      options,
    );
    translating(ready, () => {
      closeSync(openSync(ready, 'w', 0o600));
      syncFile(ready);
      syncFolderOf(ready);
    });
    putInPlace(storePath);
    return stops;
  } catch (thrown) {
    // Frees space first: the old registry gets its log back at its next opening, too.
    if (!existsSync(ready)) removeDatabases(files);
    throw toDomainError(thrown, storePath);
  } finally {
    replacedRegistry?.close();
  }
}

function removeDatabases(files: StoreFiles): void {
  for (const name of databaseNames) {
    rmSync(files[name], { force: true });
    removeSidecars(files[name]);
  }
}

/** Without WAL: closing it would delete the log of the new database, which has its name by then. Undefined for a damaged one. */
function openRegistryAlone(path: string): Connection | undefined {
  try {
    return openAlone(path, path, (registry) => registry.pragma('journal_mode = delete'));
  } catch (thrown) {
    if (isHkctlError(thrown) && thrown.code === 'store_corrupt') return undefined;
    throw thrown;
  }
}

interface Stores {
  storePath: string;
  preparedPath: string;
  /** The registry that is replaced, locked; undefined if it is missing or damaged. */
  replacedRegistry: Connection | undefined;
}

async function completeRestore(
  { connection: backup, isReadable, complete }: Replacement,
  { storePath, preparedPath, replacedRegistry }: Stores,
  options: StoreOptions,
): Promise<readonly KeptStopped[]> {
  const registry = openFile(filesOf(preparedPath).registry, options);
  const executor = createExecutor(createRegistry(registry, preparedPath));
  const store = createSqliteStore(preparedPath, registry, { ...options, threads: undefined });
  try {
    // All must be in the file itself: a log that cannot be copied into it, as on a full disk, would not follow it to its place.
    registry.pragma('journal_mode = delete');
    registry.exec('begin immediate');

    const replaced =
      replacedRegistry && isReadable
        ? await readReplaced(replacedRegistry, storePath, backup)
        : unknownStore;
    const { present, clock } = replaced;
    // A time that the store has seen stays seen, or a key that expired since could come back to life.
    if (clock) await store.clock.merge({ fromMs: 0, samples: clock });

    const journal = filesOf(storePath).revocations;
    const stops = await complete({
      store,
      registry: { ...executor, dialect },
      present,
      journal: {
        text: readJournalFile(journal) ?? '',
        isOfRemovals: false,
        add: (lines) => appendLines(journal, lines),
      },
    });

    markJournal(registry, journal);
    registry.exec('commit');
    writeAhead(registry);
    return stops;
  } finally {
    await store.close();
  }
}

interface ReplacedStore {
  present: PresentStore;
  clock?: ClockSamples;
}

const unknownStore: ReplacedStore = { present: unknownPresent };

/** Reads the facts that a restore needs from the registry of a store of this version; none of a damaged one. */
async function readReplaced(
  connection: Connection,
  storePath: string,
  backup: Connection,
): Promise<ReplacedStore> {
  const registry = createRegistry(connection, storePath);
  const runner = createRunner(registry, filesOf(storePath).revocations);
  try {
    return {
      present: await readPresent(runner, backup),
      clock: await createClockStore(runner).read(),
    };
  } catch (thrown) {
    if (isHkctlError(thrown) && thrown.code === 'store_corrupt') return unknownStore;
    throw thrown;
  }
}

/** Purges the data of entities that stay removed, as their removal does. */
async function purgeKept(
  storePath: string,
  options: StoreOptions,
  stops: readonly KeptStopped[],
): Promise<void> {
  if (!stops.some(({ kind }) => kind === 'removed_entity')) return;
  const store = openStore(storePath, { ...options, threads: undefined });
  try {
    // Reading the trail completes the work that is left undone between the files.
    await store.audit.list('', { limit: 1 });
  } catch (thrown) {
    throw afterChange(
      thrown,
      'The store was restored, but removed entities are not purged yet; hkctl audit list goes on with it.',
    );
  } finally {
    await store.close();
  }
}
