import { HkctlError } from '../../core/errors.ts';
import { lazily } from '../../core/lazily.ts';
import type { ImportRequest, ImportSummary } from '../../core/port/records.ts';
import type { FileLock, Store } from '../../core/port/store.ts';
import type { StoreOptions } from '../engine/options.ts';
import { createAuditStore } from '../registry/audit.ts';
import { createClockStore } from '../registry/clock.ts';
import { createCommandStore } from '../registry/commands.ts';
import { createEntityStore } from '../registry/entities.ts';
import { createKeyStore } from '../registry/keys.ts';
import { createTenantStore } from '../registry/tenants.ts';
import { createUserStore } from '../registry/users.ts';
import type { Connection } from '../sqlite-database/driver.ts';
import { translating } from '../sqlite-database/errors.ts';
import { requireSchemaVersion } from '../sqlite-database/schema/schema-versions.ts';
import { filesOf, openFile, type StoreFiles } from './connection/files.ts';
import { lockExclusive } from './connection/locks.ts';
import { OpenFiles } from './connection/open-files.ts';
import { type Reserve, withinReserve } from './connection/reserve.ts';
import { purgeRemoved } from './purge.ts';
import type { ReaderData } from './readings/reader/reader.ts';
import { StoredReadings } from './readings/stored.ts';
import { ThreadClient } from './readings/thread-client.ts';
import { WriterClient } from './readings/writer/client.ts';
import { createReadingStore, type ReadingThreads } from './readings.ts';
import { importRecords } from './records/imports.ts';
import { emptyOutbox } from './records/outbox.ts';
import { createRecordStore } from './records/records.ts';
import { createDaemonStore } from './registry/daemons.ts';
import { createMetrics } from './registry/metrics.ts';
import { createRegistry, type Registry } from './registry/registry.ts';
import { createRunner, type SqliteRunner } from './registry/statements.ts';
import { createRecordUse, createUsage } from './registry/usage.ts';

interface SqliteStoreOptions extends StoreOptions {
  /** Connections that are open already, when the store is being created. */
  records?: Connection;
  readings?: Connection;
  /** Of a store in use; one that is being created or replaced has none. */
  reserve?: Reserve;
}

/** A store in SQLite: three databases, of which a command opens those that it needs. */
export class SqliteStore implements Store {
  readonly tenants: Store['tenants'];
  readonly users: Store['users'];
  readonly entities: Store['entities'];
  readonly keys: Store['keys'];
  readonly usage: Store['usage'];
  readonly commands: Store['commands'];
  readonly audit: Store['audit'];
  readonly records: Store['records'];
  readonly readings: Store['readings'] & { close(): void };
  readonly daemon: Store['daemon'];
  readonly clock: Store['clock'];
  readonly metrics: Required<Store>['metrics'];

  readonly #path: string;
  readonly #files: StoreFiles;
  readonly #options: SqliteStoreOptions;
  readonly #registry: Registry;
  readonly #runner: SqliteRunner;
  readonly #opened: Connection[];
  readonly #recordsFile: () => Connection;
  readonly #readingsFile: () => Connection;
  readonly #stored: () => StoredReadings;
  readonly #threads: ReadingThreads | undefined;
  /** Releases the lock that shows other processes a serving daemon. */
  readonly #release: () => void;
  #openFiles: OpenFiles | undefined;
  #ownRecordChanges = 0;

  constructor(path: string, registry: Connection, options: SqliteStoreOptions) {
    this.#path = path;
    this.#files = filesOf(path);
    this.#options = options;
    const { reserve } = options;
    this.#registry = createRegistry(registry, path, reserve);
    this.#runner = createRunner(this.#registry, this.#files.revocations);
    this.#opened = [registry, options.records, options.readings].filter((open) => open !== undefined);
    this.#recordsFile = lazily(() => options.records ?? this.#open('records'));
    this.#readingsFile = lazily(() => options.readings ?? this.#open('readings'));
    this.#stored = lazily(() => new StoredReadings(this.#readingsFile()));
    const { threads } = options;
    this.#threads = threads && {
      writer: new WriterClient(threads.writer, { path }, () => this.requireInPlace()),
      reader: new ThreadClient({
        script: threads.reader,
        data: { file: this.#files.readings } satisfies ReaderData,
        role: 'reader',
      }),
    };

    const runner = this.#runner;
    // In a daemon the writer thread writes what comes often, so that the main thread never waits for a disk.
    const writer = this.#threads?.writer;
    const whole = async (write: () => Promise<void>) => {
      reserve?.requireWhole();
      await write();
    };
    this.tenants = createTenantStore(runner);
    this.users = createUserStore(runner);
    this.entities = createEntityStore(runner, () => this.#settle());
    this.keys = createKeyStore(runner, {
      version: this.#registry.version,
      // A change in progress is that of a process that is still there: what it has not committed ends with it.
      settle() {},
      recordUse: writer ? (uses, usage) => whole(() => writer.recordUse(uses, usage)) : createRecordUse(runner),
    });
    this.usage = createUsage(runner);
    this.commands = createCommandStore(runner);
    this.audit = createAuditStore(runner, () => this.#settle());
    this.records = createRecordStore(
      this.#recordsFile,
      path,
      () => this.#ownRecordChanges,
      (request) => this.#import(request),
    );
    const ofReadings = createReadingStore({
      records: this.#recordsFile,
      readings: this.#readingsFile,
      stored: this.#stored,
      recordsVersion: () => Number(this.records.version()),
      path,
      threads: () => this.#threads,
    });
    this.readings = reserve ? withinReserve(ofReadings, reserve) : ofReadings;
    const { release, ...daemon } = createDaemonStore(this.#registry, this.#files.daemons, options.clock);
    this.daemon = daemon;
    this.#release = release;
    const clock = createClockStore(runner);
    this.clock = writer ? { ...clock, merge: (progress) => whole(() => writer.mergeClock(progress)) } : clock;
    this.metrics = createMetrics(runner, this.#files);
  }

  lockFiles(): FileLock | undefined {
    const lock = lockExclusive(this.#files.rotations);
    if (!lock) return undefined;
    return {
      isHeld: () => true,
      release() {
        lock.close();
      },
    };
  }

  async openAll(): Promise<void> {
    // Reads once from each database, since SQLite opens its log at the first read.
    for (const connection of [this.#registry.connection, this.#recordsFile(), this.#readingsFile()]) {
      translating(this.#path, () => connection.prepare('select 1 from sqlite_master').get());
    }
    this.#openFiles = new OpenFiles(this.#files);
    await Promise.all([this.#threads?.reader.start(), this.#threads?.writer.start()]);
    // Checked again after the thread has opened the files by their paths.
    this.requireInPlace();
  }

  requireInPlace(): void {
    const file = this.#openFiles?.displaced();
    if (file === undefined) return;
    throw new HkctlError('store_corrupt', `The file ${file} of the store was removed or replaced while it was open.`, {
      hint: 'Put back the files that belong together, or restore a backup with: hkctl restore FILE',
    });
  }

  async close(): Promise<void> {
    // SQLite would delete the log at the path, which by now is another one with the commits of other processes.
    if (this.#openFiles?.displaced() !== undefined) return;
    this.readings.close();
    await this.#threads?.reader.close();
    await this.#threads?.writer.close();
    this.#release();
    for (const connection of this.#opened.splice(0)) connection.close();
    this.#options.reserve?.takeBack();
  }

  #open(name: 'records' | 'readings'): Connection {
    const open = () => {
      const connection = openFile(this.#files[name], this.#options);
      try {
        requireSchemaVersion(connection, name, this.#files[name]);
      } catch (thrown) {
        connection.close();
        throw thrown;
      }
      this.#opened.push(connection);
      return connection;
    };
    const { reserve } = this.#options;
    return reserve ? reserve.withRoom(open) : open();
  }

  async #import(request: ImportRequest): Promise<ImportSummary> {
    this.#options.reserve?.requireWhole();
    this.#settle();
    const { registry, records } = this.#files;
    // On a connection of its own, since the transaction stays open while rows are read, and readers must not be inside it.
    const connection = openFile(records, this.#options);
    try {
      const { summary, unsettled } = await importRecords(connection, registry, request, () =>
        requireSchemaVersion(connection, 'records', records),
      );
      if (unsettled) this.#registry.change(() => this.#runner.append(unsettled));
      return summary;
    } finally {
      connection.close();
      this.#settle();
    }
  }

  /** Completes what an interrupted process may have left undone between the files. */
  #settle(): void {
    this.#ownRecordChanges++;
    translating(this.#path, () => {
      emptyOutbox(this.#registry, this.#recordsFile(), this.#runner);
      purgeRemoved(this.#registry, this.#recordsFile, () => ({
        connection: this.#readingsFile(),
        stored: this.#stored(),
      }));
    });
  }
}
