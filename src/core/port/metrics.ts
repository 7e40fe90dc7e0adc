import type { MaybePromise } from './maybe-promise.ts';

/** When a key expires; `entity` is a code, empty if the entity was removed. */
export interface KeyExpiry {
  prefix: string;
  entity: string;
  atMs: number;
}

export interface StoreFacts {
  /** Numbers of keys at one moment. */
  keys: { active: number; expired: number; revoked: number };
  /** The active keys that expire next, soonest first; {@link mostExpiries} at most. */
  nextExpiries: readonly KeyExpiry[];
  /** When the last backup was written; undefined if there is none. */
  lastBackupMs: number | undefined;
  /** The sizes of the store's databases and, if they are files of this machine, of their write-ahead logs. */
  databases: readonly { name: string; bytes: number; logBytes?: number }[];
  /** Free space of their file system; undefined if it is that of another machine. */
  freeBytes: number | undefined;
}

/** The number of keys that expire next, and of tenants that are searched for them. */
export const mostExpiries = 10;
export const mostTenants = 1000;

export interface MetricsStore {
  /** Reads the facts at an instant. */
  read(nowMs: number): MaybePromise<StoreFacts>;
}
