import type { BackupFacts, RestoreHooks, RestoreOutcome } from '../core/operations/backups.ts';
import type { StoreInspection } from '../core/operations/inspection.ts';
import type { MaybePromise } from '../core/port/maybe-promise.ts';
import type { Store } from '../core/port/store.ts';
import type { Clock } from '../core/time/instants.ts';

/** How a store is opened; the paths come from the composition root, which knows where the package lies. */
export interface StoreOptions {
  clock: Clock;
  /** Folder with the migrations of each database. */
  migrationsFolder: string;
  /** Scripts of the threads that write readings to SQLite and read many of them; a store without them does neither. */
  threads?: { writer: string; reader: string } | undefined;
  /** How long to wait for another writer before the store counts as locked: 5 s if nothing is given. */
  busyTimeoutMs?: number;
  /** The environment, from which the address of a PostgreSQL database is completed; none if nothing is given. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** The result of a migration. */
export interface MigrationOutcome {
  /** The number of migrations that were applied. */
  applied: number;
  /** The backup of the old store, if one was written. */
  backup?: string | undefined;
}

/** How a store is migrated. */
export interface MigrationRequest {
  withoutBackup?: boolean;
  /** Receives how many bytes of how many are done, if a migration takes long. */
  progress?: ((bytes: number, total: number) => void) | undefined;
}

/** How a backup is written. */
export interface BackupRequest {
  nowMs: number;
  /** Whether it may replace an existing file. */
  force: boolean;
  /** Its number in a series, which its file keeps; 0 or none = in no series. */
  number?: number;
  progress?: ((bytes: number) => void) | undefined;
}

/** All that can be done with the store at one location. */
export interface Engine {
  /** Opens an existing store of this version: `store_absent`, `store_too_old`, `store_corrupt` … (exit 6). */
  open(): MaybePromise<Store>;
  /** Refuses a location that holds a store, or a part of one: `already_initialised` (exit 5). */
  requireNone(): MaybePromise<void>;
  /** Creates a store with what `fill` puts into it, both or neither; `already_initialised` (exit 5) if there is one. */
  create(fill?: (store: Store) => MaybePromise<void>): Promise<Store>;
  /**
   * Applies the missing migrations, all or none, after a backup: next to the store, or of PostgreSQL in the current folder.
   * `check` receives the old store and refuses by throwing.
   */
  migrate(check?: (store: Store) => MaybePromise<void>, request?: MigrationRequest): Promise<MigrationOutcome>;
  /**
   * Writes all of the store into one checked file; `state_forbids` if `target` exists and `force` is false. `progress`
   * receives the size of the file if the engine copies row by row.
   */
  backup(target: string, request: BackupRequest): Promise<BackupFacts>;
  /** Replaces the store by the one in a backup file; whatever was stopped since the backup stays stopped. */
  restore(file: string, hooks: RestoreHooks): Promise<RestoreOutcome>;
  /** Checks for `hkctl doctor`, which also work on a damaged store. */
  inspect(): MaybePromise<StoreInspection>;
}
