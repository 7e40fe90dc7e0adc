import type { ErrorCode } from '../errors.ts';
import type { MaybePromise } from '../port/maybe-promise.ts';

export interface Check {
  /** Stable, for programs. */
  name: string;
  status: 'ok' | 'warning' | 'problem';
  detail: string;
  hint?: string;
  /** Only for a problem: the error code that `hkctl doctor` exits with. */
  code?: ErrorCode;
}

export type Finding = Omit<Check, 'name'>;

export function ok(detail: string): Finding {
  return { status: 'ok', detail };
}

export function warning(detail: string, hint: string): Finding {
  return { status: 'warning', detail, hint };
}

export function problem(code: ErrorCode, detail: string, hint: string | undefined): Finding {
  return { status: 'problem', detail, ...(hint !== undefined && { hint }), code };
}

export interface FileFacts {
  path: string;
  kind: 'folder' | 'file';
  mode: number;
  ownerId: number;
}

export interface JournalFacts {
  isThere: boolean;
  revoked: number;
  /** Ids of the revoked keys that are active in the store. */
  alive: readonly string[];
  /** The number of incomplete lines, as a power failure leaves them. */
  torn: number;
}

export interface SpaceFacts {
  freeBytes: number;
  totalBytes: number;
  /** Whether the space that is kept for stops is there; without it nothing else is written. */
  hasReserve: boolean;
}

/** Facts that the server of a database reports of itself. */
export interface ServerInspection {
  version: string;
  databaseBytes: number;
  syncs: boolean;
  synchronousCommit: string;
  /** Names of standbys whose confirmation a commit waits for; none if empty. */
  synchronousStandbys: string;
  /** Whether the log-in could change anything, also the audit trail. */
  isSuperuser: boolean;
  canChangeAudit: boolean;
  /** The numbers of standbys that follow now, that confirm commits, and whose state the log-in may not see. */
  following: number;
  synchronous: number;
  unseen: number;
  /** The numbers of readings that were removed and not cleaned up, and of existing ones. */
  dead: number;
  live: number;
  /** How many milliseconds the clock of the server is ahead of this machine's. */
  skewMs: number;
}

interface ForeignObjects {
  database: string;
  /** Tables of other programs, which change nothing for hkctl. */
  tables: readonly string[];
  /** All other foreign objects, and missing ones, in words. */
  differences: readonly string[];
}

/** Facts that an engine reports about the files of a store, or its database server. A method throws if it cannot read them. */
export interface StoreInspection {
  /** Each database with its damage in the engine's words; an empty list if it is intact. */
  databases: readonly { name: string; damage(): string[] }[];
  files?(): FileFacts[];
  server?(): Promise<ServerInspection>;
  /** Registry tables with rows whose foreign key has no target, and the number of such rows. */
  brokenReferences?(): { table: string; rows: number }[];
  /** The schema version of each database, and the version that this hkctl needs. */
  versions(): MaybePromise<{ database: string; version: number; wanted: number }[]>;
  /** How the schema of each database differs from its migrations. */
  foreign(): MaybePromise<ForeignObjects[]>;
  journal?(nowMs: number): JournalFacts;
  space?(): SpaceFacts;
  sizeBytes(): MaybePromise<number>;
}
