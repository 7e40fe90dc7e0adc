import type { MaybePromise } from './maybe-promise.ts';

export interface DaemonStore {
  /**
   * Makes this process known as a daemon that serves the store, until it clears its address, closes the store or ends, in
   * whatever way. Throws `state_forbids` while a restore replaces the store.
   */
  begin(): MaybePromise<void>;
  /** Notes the address a running daemon answers at, for the curl examples; begins where that was not done. */
  recordAddress(baseUrl: string, pid: number): MaybePromise<void>;
  clearAddress(pid: number): MaybePromise<void>;
  /** The address last noted, while any daemon serves the store, in whatever container. */
  address(): MaybePromise<string | undefined>;
}
