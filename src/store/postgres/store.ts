import { hostname } from 'node:os';
import type { FileLock, Store } from '../../core/port/store.ts';
import type { StoreOptions } from '../shared/options.ts';
import { createAuditStore } from '../shared/registry/audit.ts';
import { createClockStore } from '../shared/registry/clock.ts';
import { createEntityStore } from '../shared/registry/entities.ts';
import { createKeyStore } from '../shared/registry/keys.ts';
import { createPendingStepStore } from '../shared/registry/pending-steps.ts';
import { createTenantStore } from '../shared/registry/tenants.ts';
import { createUserStore } from '../shared/registry/users.ts';
import type { Database } from './connection/database.ts';
import { createChangeCounters } from './daemons/change-counters.ts';
import { createDaemonStore } from './daemons/daemons.ts';
import { createLimitStore } from './daemons/limits.ts';
import { createReadingStore } from './readings/readings.ts';
import { createPostgresRecords } from './records/records.ts';
import { createMetrics } from './registry/metrics.ts';
import { purgeRemoved } from './registry/purge.ts';
import { createRunner } from './registry/statements.ts';
import { createRecordUse, createUsage } from './registry/usage.ts';

export function createPostgresStore(database: Database, options: StoreOptions): Store {
  const purge = () => purgeRemoved(database);
  const runner = createRunner(database);
  const changeCounters = createChangeCounters(database, options.clock);
  const records = createPostgresRecords(database, () => changeCounters.records());
  const readings = createReadingStore(database, () => changeCounters.recordsSinceGate());
  const daemon = createDaemonStore(database, changeCounters);
  return {
    tenants: createTenantStore(runner),
    users: createUserStore(runner),
    entities: { ...createEntityStore(runner, purge), finishRemovals: purge },
    keys: createKeyStore(runner, {
      changeCounter: () => changeCounters.keys(),
      // Each change begins by locking this row, and keeps it while it waits for a standby, even if its process is gone.
      awaitPending: () =>
        database.transaction(async (session) => {
          await session.query("select from generations where name = 'keys' for share");
        }),
      recordUse: createRecordUse(database),
    }),
    usage: createUsage(database),
    pendingSteps: createPendingStepStore(runner),
    audit: createAuditStore(runner),
    records: { ...records, lastChangeCounter: changeCounters.lastRecords },
    readings,
    daemon,
    limits: createLimitStore(database),
    metrics: createMetrics(database),
    clock: { ...createClockStore(runner, hostname()), serverMs: changeCounters.nowMs },
    lockFiles: () => lockFiles(database),
    // Restores a lost connection in the background from now on.
    openAll: () => database.startDaemon(),
    // There are no files to be replaced: every connection is to the place that the address names.
    requireInPlace() {},
    async close() {
      try {
        await readings.close();
        await daemon.release();
      } finally {
        await database.close();
      }
    },
  };
}

/** Entities, by whose numbers imports lock, have positive ones. */
const lockKey = "-1, hashtext(current_schema() || '.files')";

/** Takes an advisory lock on a connection of its own; undefined while another process holds it. */
function lockFiles(database: Database): Promise<FileLock | undefined> {
  return new Promise((resolve, reject) => {
    const holding = database.exclusively(async (session) => {
      const lockRows = await session.query<{ taken: boolean }>(
        `select pg_try_advisory_lock(${lockKey}) as taken`,
      );
      if (lockRows[0]?.taken !== true) return resolve(undefined);

      await new Promise<void>((endHolding) => {
        // If no answer comes the connection is gone, and the lock with it.
        const isHeld = () =>
          session.query('select').then(
            () => true,
            () => false,
          );
        const release = async () => {
          endHolding();
          await holding.catch(() => {});
        };
        resolve({ isHeld, release });
      });
      if (session.isOpen) await session.query(`select pg_advisory_unlock(${lockKey})`);
    });
    holding.catch(reject);
  });
}
