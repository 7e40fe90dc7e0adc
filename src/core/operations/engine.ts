import type { MaybePromise } from '../port/maybe-promise.ts';
import type { Store } from '../port/store.ts';
import type {
  BackupDigest,
  BackupOrigin,
  BackupTarget,
  RestoreHooks,
  RestoreOutcome,
  WrittenBackup,
} from './backups.ts';
import type { StoreInspection } from './inspection.ts';

export interface MigrationOutcome {
  applied: number;
  backup?: string | undefined;
}

export interface MigrationRequest {
  withoutBackup?: boolean;
}

export interface BackupRequest {
  nowMs: number;
  force: boolean;
  /** Its number in a series, which its file keeps; 0 or none = in no series. */
  number?: number;
  progress?: ((bytes: number) => void) | undefined;
}

/** Operations on the store at one location, apart from using it. */
export interface Engine {
  /** Opens an existing store of this version: `store_absent`, `store_too_old`, `store_corrupt` … (exit 6). */
  open(): MaybePromise<Store>;
  /** Refuses a location that holds a store, or a part of one: `already_initialised` (exit 5). */
  requireNone(): MaybePromise<void>;
  /** Creates a store with the rows that `fill` inserts, both or neither; `already_initialised` (exit 5) if there is one. */
  create(fill?: (store: Store) => MaybePromise<void>): Promise<Store>;
  /**
   * Applies the missing migrations, all or none, after a backup next to the store (PostgreSQL: in the current folder).
   * `check` receives the old store and refuses by throwing.
   */
  migrate(
    check?: (store: Store) => MaybePromise<void>,
    request?: MigrationRequest,
  ): Promise<MigrationOutcome>;
  /**
   * Writes a checked backup; `state_forbids` if its file exists and not `force`, `bad_input` if another account could exchange
   * the file. Only copies row by row report their progress.
   */
  backup(target: BackupTarget, request: BackupRequest): Promise<WrittenBackup>;
  /**
   * Replaces the store by the one in a backup, which is read once; whatever was stopped since the backup stays stopped. With
   * `digest`, any other backup is refused (`bad_input`).
   */
  restore(
    origin: BackupOrigin,
    hooks: RestoreHooks,
    digest?: BackupDigest,
  ): Promise<RestoreOutcome>;
  /** Also works on a damaged store. */
  inspect(): MaybePromise<StoreInspection>;
}
