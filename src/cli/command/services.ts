import type { Actor } from '../../core/domain/actors.ts';
import type { Domain } from '../../core/domain/domain.ts';
import type { ResourceDefinition } from '../../core/fields/fields.ts';
import type {
  BackupFacts,
  BackupFolder,
  BackupSeries,
  RestoreHooks,
  RestoreOutcome,
} from '../../core/operations/backups.ts';
import type { ExampleName } from '../../core/operations/examples.ts';
import type { StoreInspection } from '../../core/operations/inspection.ts';
import type { ServeSettings } from '../../core/operations/settings.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { Store } from '../../core/port/store.ts';
import type { ReadingReader } from '../../core/readings/imports.ts';
import type { RowReader } from '../../core/records/imports.ts';

/**
 * What the commands need from the other layers, given by the composition root, which loads each only when it is called:
 * `hkctl keys list` pays for no daemon and `hkctl --help` for no store.
 */
export interface Services {
  version: string;
  /** Opens an existing store, all migrations applied; `store_absent`, `store_too_old` … (exit 6). */
  openStore(path: string): Promise<Store>;
  /** Refuses a path at which there is a store already: `already_initialised`. */
  requireNoStore(path: string): Promise<void>;
  /** Creates a store (folder 0700, files 0600) with what `fill` puts into it, both or neither. */
  createStore(path: string, fill: (store: Store) => Promise<void>): Promise<Store>;
  /** Applies pending migrations, all or none, after a backup; `authorize` refuses by throwing. */
  migrateStore(
    path: string,
    authorize: (store: Store) => Promise<void>,
    request: { withoutBackup: boolean; progress(bytes: number, total: number): void },
  ): Promise<{ applied: number; backup?: string | undefined }>;
  /** Writes all of a store into one checked file; `state_forbids` if the file exists and `force` is false. */
  backupStore(
    path: string,
    target: string,
    request: { nowMs: number; force: boolean; number: number; progress(bytes: number): void },
  ): Promise<BackupFacts>;
  /** The number of the next backup in a series: higher than that of every one that is there. */
  nextBackupNumber(series: BackupFolder): Promise<number>;
  /** Removes backups of one series beyond the newest ones; returns the paths of those removed. */
  removeOldBackups(series: BackupSeries): Promise<string[]>;
  /** Replaces the store at a path by that of a backup; returns what was stopped since the backup and stays stopped. */
  restoreStore(path: string, file: string, hooks: RestoreHooks): Promise<RestoreOutcome>;
  inspectStore(path: string): Promise<StoreInspection>;
  /** SQL for the roles of the store at an address, or at the usual place if a file is named. */
  postgresRoles(location: string): Promise<string>;
  /** SQL that distributes the tables of such a store by entity over the workers of Citus. */
  postgresCitus(location: string): Promise<string>;
  /** Serves until `stop` is aborted, then drains; resolves once the last answer is sent. */
  serve(domain: Domain, settings: ServeSettings, hooks: ServeHooks): Promise<void>;
  example(name: ExampleName): Promise<string>;
  /** The OpenAPI document of this version. */
  openapi(baseUrl: string | undefined): Promise<unknown>;
  resources(): Promise<readonly ResourceDefinition[]>;
  rowReader(): Promise<RowReader>;
  readingReader(): Promise<ReadingReader>;
  /** Fills a new store with the demo plant; returns commands that show it best, each with a sentence before it. */
  loadDemo(
    domain: Domain,
    actor: Actor,
    entity: Entity,
  ): Promise<readonly (readonly [what: string, command: string])[]>;
}

interface ServeHooks {
  /** Aborted on SIGTERM or SIGINT. */
  stop: AbortSignal;
  /** Called once the daemon answers, with its address. */
  listening(baseUrl: string): void;
  /** Where its log goes: standard output, or error. */
  logFd: 1 | 2;
  /** Whether to write a line there at the first call of each key. */
  announcesCalls: boolean;
}
