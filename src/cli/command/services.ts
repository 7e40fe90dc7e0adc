import type { Actor } from '../../core/domain/actors.ts';
import type { Domain } from '../../core/domain/domain.ts';
import type { ResourceDefinition } from '../../core/fields/fields.ts';
import type { BackupSeries } from '../../core/operations/backups.ts';
import type { Engine } from '../../core/operations/engine.ts';
import type { ExampleName } from '../../core/operations/examples.ts';
import type { ServeSettings } from '../../core/operations/settings.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { ReadingReader } from '../../core/readings/imports.ts';
import type { RowReader } from '../../core/records/imports.ts';

/**
 * Services of the other layers for the commands, given by the composition root. Each is loaded when it is called: `hkctl keys
 * list` pays for no daemon and `hkctl --help` for no store.
 */
export interface Services {
  version: string;
  /**
   * The engine of the store at a path or an address, with the rights of the account that owns its folder; `makesFolder` if the
   * folder may be missing yet.
   */
  engine(location: string, how?: { makesFolder: boolean }): Promise<Engine>;
  /** The backups in a folder of the store with this id. */
  backupSeries(folder: string, storeId: string): Promise<BackupSeries>;
  /** SQL for the roles of the store at an address, or its distribution over the workers of Citus; of a file at the usual place. */
  postgresSql(kind: 'roles' | 'citus', location: string): Promise<string>;
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
  /** Destination of the log: standard output, or error. */
  logFd: 1 | 2;
  /** Breaks a line of the log at its blanks for the terminal that shows it. */
  wrapLogLine(line: string): string;
  /** Whether to write a line there at the first call of each key. */
  announcesCalls: boolean;
}
