import type { Clock } from '../core/time/instants.ts';

/** How a store is opened; the paths come from the composition root, which knows where the package lies. */
export interface StoreOptions {
  clock: Clock;
  /** Folder with the migrations of each database. */
  migrationsFolder: string;
  /** Script of the writer thread; without it readings are written at once, in this thread. */
  writerThread: string | undefined;
  /** Script of the reader thread; without it large reads of readings are made in this thread, slice by slice. */
  readerThread?: string;
  /** How long to wait for another writer before the store counts as locked: 5 s where nothing is given. */
  busyTimeoutMs?: number;
}
