import type { AuditStore } from './audit.ts';
import type { ClockStore } from './clock.ts';
import type { DaemonStore } from './daemons.ts';
import type { EntityStore } from './entities.ts';
import type { KeyStore } from './keys.ts';
import type { LimitStore } from './limits.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { MetricsStore } from './metrics.ts';
import type { PendingStepStore } from './pending-steps.ts';
import type { ReadingStore } from './readings.ts';
import type { RecordStore } from './records.ts';
import type { Stop } from './stops.ts';
import type { TenantStore } from './tenants.ts';
import type { UsageStore } from './usage.ts';
import type { UserStore } from './users.ts';

/**
 * The storage port: types only. Every operation is atomic and writes its audit event in the same commit. Rules live in the
 * domain; a store only has constraints and guards its writes with a WHERE. All times are epoch milliseconds (`…Ms`) or
 * microseconds (`…Us`). Everything read is inside one tenant unless its name says otherwise. Driver errors leave a store
 * as the domain's (`store_locked`, `store_full`, `duplicate` …), never as the driver's. A write that returns was made, and one
 * that throws was not, except with `commit_unknown`: the store could not find out.
 */
export interface Store {
  readonly tenants: TenantStore;
  readonly users: UserStore;
  readonly entities: EntityStore;
  readonly keys: KeyStore;
  readonly usage: UsageStore;
  readonly pendingSteps: PendingStepStore;
  readonly audit: AuditStore;
  readonly records: RecordStore;
  readonly readings: ReadingStore;
  readonly daemon: DaemonStore;
  readonly clock: ClockStore;
  /** Facts for monitoring; an engine may have none. */
  readonly metrics?: MetricsStore;
  /** Counts of limits, in an engine that serves daemons on several machines. */
  readonly limits?: LimitStore;
  /** Stops that the journal named and the store had not: they were stopped again when the store was opened. */
  readonly stoppedAgain?: readonly Stop[];
  /** Takes the lock under which files of secrets are replaced; undefined while another process holds it. */
  lockFiles(): MaybePromise<FileLock | undefined>;
  /** Opens now what a command opens when it needs it, and remembers which files those are. For the daemon. */
  openAll(): MaybePromise<void>;
  /** Throws `store_corrupt` if a file was replaced since `openAll`, which hides what others write. */
  requireInPlace(): void;
  /** Waits for running operations, then closes all files. */
  close(): MaybePromise<void>;
}

/** The lock of a process that writes files of secrets; it ends with the process, however that ends. */
export interface FileLock {
  /** Whether it is still held: a connection that was lost has lost it. */
  isHeld(): MaybePromise<boolean>;
  release(): MaybePromise<void>;
}
