import type { MaybePromise } from './maybe-promise.ts';

/** A daemon that serves the store. */
export interface Daemon {
  baseUrl: string;
  sinceMs: number;
  /** The version of hkctl that it runs; null where it did not record one. */
  version: string | null;
}

/** The daemons that serve the store. */
export interface DaemonStore {
  /**
   * Registers this process as a daemon that serves the store, until it clears its address, closes the store or ends in any
   * way. Throws `state_forbids` while a restore replaces the store.
   */
  begin(): MaybePromise<void>;
  /** Records the address of a running daemon and its version, for the curl examples; begins where that was not done. */
  recordAddress(baseUrl: string, pid: number, version?: string): MaybePromise<void>;
  clearAddress(pid: number): MaybePromise<void>;
  /** The address last recorded, while a daemon serves the store in any container. */
  address(): MaybePromise<string | undefined>;
  /** The daemon that recorded its address last, under the same condition. */
  newest(): MaybePromise<Daemon | undefined>;
}
