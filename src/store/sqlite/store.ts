import { HkctlError } from '../../core/errors.ts';
import { lazy } from '../../core/memoize.ts';
import type { ImportRequest, ImportSummary } from '../../core/port/records.ts';
import type { Stop } from '../../core/port/stops.ts';
import type { Store } from '../../core/port/store.ts';
import type { StoreOptions } from '../shared/options.ts';
import { createAuditStore } from '../shared/registry/audit.ts';
import { createClockStore } from '../shared/registry/clock.ts';
import { createEntityStore } from '../shared/registry/entities.ts';
import { createKeyStore } from '../shared/registry/keys.ts';
import { createPendingStepStore } from '../shared/registry/pending-steps.ts';
import { createTenantStore } from '../shared/registry/tenants.ts';
import { createUserStore } from '../shared/registry/users.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import { requireSchemaVersion } from '../sqlite-file/schema/schema-versions.ts';
import { filesOf, openFile, watchFiles } from './connection/files.ts';
import { lockExclusive } from './connection/locks.ts';
import type { Reserve } from './connection/reserve.ts';
import { purgeRemoved } from './purge.ts';
import { StoredReadings } from './readings/stored.ts';
import { ThreadClient } from './readings/thread-client.ts';
import { WriterClient } from './readings/writer/client.ts';
import { createReadingStore, type ReadingThreads } from './readings.ts';
import { emptyOutbox } from './records/outbox.ts';
import { createSqliteRecords } from './records/records.ts';
import { createDaemonStore } from './registry/daemons.ts';
import { createMetrics } from './registry/metrics.ts';
import { createRegistry } from './registry/registry.ts';
import { createRunner } from './registry/statements.ts';
import { createRecordUse, createUsage } from './registry/usage.ts';

interface SqliteStoreOptions extends StoreOptions {
  /** Of a store in use; one that is being created or replaced has none. */
  reserve?: Reserve;
  /** The keys, users and entities that were stopped again when it was opened. */
  stoppedAgain?: readonly Stop[];
  /** Makes the last notes in the registry before it is closed. */
  beforeClose?(): void;
}

/** A store in SQLite: three databases. A command opens the ones that it needs. */
export function createSqliteStore(
  storePath: string,
  registryConnection: Connection,
  options: SqliteStoreOptions,
): Store {
  const { reserve } = options;
  const files = filesOf(storePath);
  const registry = createRegistry(registryConnection, storePath, reserve);
  const runner = createRunner(registry, files.revocations);
  const openConnections = [registryConnection];

  const threads: ReadingThreads | undefined = options.threads && {
    writer: new WriterClient({
      script: options.threads.writer,
      data: storePath,
      role: 'writer',
      // The thread opens the files by their names.
      beforeStart: requireInPlace,
    }),
    reader: new ThreadClient({
      script: options.threads.reader,
      data: files.readings,
      role: 'reader',
    }),
  };
  let findDisplaced: () => string | undefined = () => undefined;
  let ownRecordChanges = 0;

  const openChecked = (name: 'records' | 'readings') => (): Connection => {
    const connection = openFile(files[name], options);
    try {
      requireSchemaVersion(connection, name, files[name]);
    } catch (thrown) {
      connection.close();
      throw thrown;
    }
    openConnections.push(connection);
    return connection;
  };

  const withRoom = <T>(operation: () => T): T =>
    reserve ? reserve.withRoom(operation) : operation();
  const recordsConnection = lazy(() => withRoom(openChecked('records')));
  const readingsConnection = lazy(() => withRoom(openChecked('readings')));
  const stored = lazy(() => new StoredReadings(readingsConnection(), { reserve }));

  function requireInPlace(): void {
    const displacedFile = findDisplaced();
    if (displacedFile === undefined) return;

    throw new HkctlError(
      'store_corrupt',
      `The file ${displacedFile} of the store was removed or replaced while it was open.`,
      {
        hint: 'Put back the files that belong together, or restore a backup with: hkctl restore FILE',
      },
    );
  }

  /** Completes the work that an interrupted process may have left undone between the files. */
  const completeOutbox = () => {
    ownRecordChanges++;
    translating(storePath, () => {
      emptyOutbox(registry, recordsConnection(), runner);
      purgeRemoved(registry, recordsConnection, () => ({
        connection: readingsConnection(),
        stored: stored(),
      }));
    });
  };

  const importInto = async (request: ImportRequest): Promise<ImportSummary> => {
    reserve?.requireWhole();
    completeOutbox();

    const { writeImport } = await import('./records/imports.ts');
    // On a connection of its own, since the transaction stays open while rows are read, and readers must not be inside it.
    const connection = openFile(files.records, options);
    const requireSchema = () => requireSchemaVersion(connection, 'records', files.records);
    try {
      const { summary, unfinished } = await writeImport(
        connection,
        storePath,
        request,
        requireSchema,
      );
      if (unfinished) registry.change(() => runner.append(unfinished));
      return summary;
    } finally {
      connection.close();
      completeOutbox();
    }
  };

  // In a daemon the writer thread makes the frequent writes, so that the main thread never waits for a disk.
  const writer = threads?.writer;
  const records = createSqliteRecords(
    recordsConnection,
    storePath,
    () => ownRecordChanges,
    importInto,
  );
  const readings = createReadingStore({
    records: recordsConnection,
    readings: readingsConnection,
    stored,
    recordsCounter: () => Number(records.changeCounter()),
    path: storePath,
    threads,
  });
  const { release, ...daemon } = createDaemonStore(registry, files.daemons, options.clock);
  const clock = createClockStore(runner);

  return {
    tenants: createTenantStore(runner),
    users: createUserStore(runner),
    entities: createEntityStore(runner, completeOutbox),
    keys: createKeyStore(runner, {
      changeCounter: registry.changeCounter,
      // A change in progress belongs to a running process, and ends with it unless it is committed.
      awaitPending() {},
      recordUse: writer
        ? (uses, usage) => writer.call('uses', [uses, usage])
        : createRecordUse(runner),
    }),
    usage: createUsage(runner),
    pendingSteps: createPendingStepStore(runner),
    audit: createAuditStore(runner, completeOutbox),
    records,
    readings,
    daemon,
    clock: {
      ...clock,
      merge: writer ? (progress) => writer.call('clock', [progress]) : clock.merge,
    },
    metrics: createMetrics(runner, files),
    stoppedAgain: options.stoppedAgain ?? [],
    lockFiles() {
      const rotationLock = lockExclusive(files.rotations);
      if (!rotationLock) return undefined;
      return {
        isHeld: () => true,
        release: () => void rotationLock.close(),
      };
    },
    async openAll() {
      // Reads once from each database, since SQLite opens its log at the first read.
      for (const connection of [registryConnection, recordsConnection(), readingsConnection()]) {
        translating(storePath, () => connection.prepare('select 1 from sqlite_master').get());
      }

      findDisplaced = watchFiles(files);
      await Promise.all([threads?.reader.start(), threads?.writer.start()]);
      // Checked again after the thread has opened the files by their paths.
      requireInPlace();
    },
    requireInPlace,
    async close() {
      // SQLite would delete the log at the path, which by now is another one with the commits of other processes.
      if (findDisplaced() !== undefined) return;

      readings.close();
      await threads?.reader.close();
      await threads?.writer.close();
      release();
      try {
        options.beforeClose?.();
      } finally {
        for (const connection of openConnections.splice(0)) connection.close();
      }
      reserve?.takeBack();
    },
  };
}
