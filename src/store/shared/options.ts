import type { Clock } from '../../core/time/instants.ts';

/** How a store is opened; the paths come from the composition root, which knows where the package lies. */
export interface StoreOptions {
  clock: Clock;
  migrationsFolder: string;
  /** The account of the operating system that acts, for the audit trail. */
  osAccount?: string;
  /** Scripts of the threads that write readings to SQLite and read many of them; a store without them does neither. */
  threads?: { writer: string; reader: string } | undefined;
  /** How long to wait for another writer before the store counts as locked: 5 s if nothing is given. */
  busyTimeoutMs?: number;
  /** The environment, from which the address of a PostgreSQL database is completed; none if nothing is given. */
  env?: Readonly<Record<string, string | undefined>>;
}
