import { hostname } from 'node:os';
import type { FileLock, Store } from '../../core/port/store.ts';
import type { StoreOptions } from '../engine/options.ts';
import { createAuditStore } from '../registry/audit.ts';
import { createClockStore } from '../registry/clock.ts';
import { createCommandStore } from '../registry/commands.ts';
import { createEntityStore } from '../registry/entities.ts';
import { createKeyStore } from '../registry/keys.ts';
import { createTenantStore } from '../registry/tenants.ts';
import { createUserStore } from '../registry/users.ts';
import type { Database } from './connection/database.ts';
import { createDaemonStore } from './daemons/daemons.ts';
import { Generations } from './daemons/generations.ts';
import { createLimitStore } from './daemons/limits.ts';
import { createReadingStore } from './readings/readings.ts';
import { createRecordStore } from './records/records.ts';
import { lockFiles } from './registry/file-lock.ts';
import { createMetrics } from './registry/metrics.ts';
import { purgeRemoved } from './registry/purge.ts';
import { createRunner } from './registry/statements.ts';
import { createRecordUse, createUsage } from './registry/usage.ts';

export class PostgresStore implements Store {
  readonly tenants: Store['tenants'];
  readonly users: Store['users'];
  readonly entities: Store['entities'];
  readonly keys: Store['keys'];
  readonly usage: Store['usage'];
  readonly commands: Store['commands'];
  readonly audit: Store['audit'];
  readonly records: Store['records'];
  readonly readings: Store['readings'] & { close(): Promise<void> };
  readonly daemon: Store['daemon'] & { release(): Promise<void> };
  readonly clock: Store['clock'];
  readonly limits: Required<Store>['limits'];
  readonly metrics: Required<Store>['metrics'];
  readonly #database: Database;

  constructor(database: Database, options: StoreOptions) {
    this.#database = database;
    const purge = () => purgeRemoved(database);
    const runner = createRunner(database);
    const generations = new Generations(database, options.clock);
    this.tenants = createTenantStore(runner);
    this.users = createUserStore(runner);
    this.entities = { ...createEntityStore(runner, purge), finishRemovals: purge };
    this.keys = createKeyStore(runner, {
      version: () => generations.keys(),
      // Each change begins by locking this row, and keeps it while it waits for a standby, even if its process is gone.
      settle: () =>
        database.transaction(async (session) => {
          await session.query('keys.settle', "select from generations where name = 'keys' for share");
        }),
      recordUse: createRecordUse(database),
    });
    this.usage = createUsage(database);
    this.commands = createCommandStore(runner);
    this.audit = createAuditStore(runner);
    const records = createRecordStore(database, () => generations.records());
    this.records = { ...records, lastVersion: () => generations.lastRecords };
    this.readings = createReadingStore(database, () => generations.recordsSinceGate());
    this.daemon = createDaemonStore(database, generations, options.clock);
    this.limits = createLimitStore(database);
    this.metrics = createMetrics(database);
    this.clock = { ...createClockStore(runner, hostname()), serverMs: () => generations.nowMs };
  }

  lockFiles(): Promise<FileLock | undefined> {
    return lockFiles(this.#database);
  }

  /** Restores a lost connection in the background from now on. */
  async openAll(): Promise<void> {
    await this.#database.startDaemon();
  }

  /** There are no files to be replaced: every connection is to the place that the address names. */
  requireInPlace(): void {}

  async close(): Promise<void> {
    try {
      await this.readings.close();
      await this.daemon.release();
    } finally {
      await this.#database.close();
    }
  }
}
