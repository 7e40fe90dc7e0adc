import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { lazily } from '../../../core/lazily.ts';
import type { Connection } from '../connection/driver.ts';
import { translating } from '../connection/errors.ts';

/** The database of organizations, users, entities, keys and the audit chain. */
export interface Registry {
  readonly db: BetterSQLite3Database;
  readonly connection: Connection;
  /** A number that grows with each commit to the registry by any connection. */
  version(): number;
  /** Runs a read; errors of the driver become the domain's. */
  read<T>(work: () => T): T;
  /** Runs a change in one transaction that holds the write lock from its start. */
  change<T>(work: () => T): T;
}

/** Wraps an open registry. */
export function createRegistry(connection: Connection, path: string): Registry {
  const version = lazily(() => connection.prepare('PRAGMA data_version').pluck());
  // `data_version` does not change with commits of its own connection; both numbers only grow, so that their sum shows both.
  let ownChanges = 0;
  return {
    db: drizzle(connection),
    connection,
    version: () => translating(path, () => Number(version().get()) + ownChanges),
    read: (work) => translating(path, work),
    change(work) {
      ownChanges++;
      return translating(path, () => connection.transaction(work).immediate());
    },
  };
}
