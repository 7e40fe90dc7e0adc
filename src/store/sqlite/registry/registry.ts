import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { isHkctlError } from '../../../core/errors.ts';
import { lazily } from '../../../core/lazily.ts';
import type { Connection } from '../../sqlite-database/driver.ts';
import { toDomainError, translating } from '../../sqlite-database/errors.ts';
import type { Reserve } from '../connection/reserve.ts';

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
  /** The same for a change that stops something, and so must work on a full disk, too. */
  stop<T>(work: () => T): T;
  /** Runs something that changes nothing, while no other process changes anything. */
  alone<T>(work: () => T): T;
}

/** Wraps an open registry. `reserve` is the one of its store; a registry that only a restore changes needs none. */
export function createRegistry(connection: Connection, path: string, reserve?: Reserve): Registry {
  const version = lazily(() => connection.prepare('PRAGMA data_version').pluck());
  // `data_version` does not change with commits of its own connection; both numbers only grow, so that their sum shows both.
  let ownChanges = 0;
  const change = <T>(work: () => T): T => {
    ownChanges++;
    return translating(path, () => connection.transaction(work).immediate());
  };
  return {
    db: drizzle(connection),
    connection,
    version: () => translating(path, () => Number(version().get()) + ownChanges),
    read: (work) => translating(path, work),
    change(work) {
      reserve?.requireWhole();
      return change(work);
    },
    alone: change,
    stop(work) {
      if (!reserve) return change(work);
      const result = reserve.withRoom(() => change(work));
      if (reserve.hasFreed) restartLog(connection);
      return result;
    },
  };
}

/** Lets the next change write over the log instead of behind it, so that the reserve lasts for many stops while a daemon keeps the log. */
function restartLog(connection: Connection): void {
  try {
    connection.pragma('wal_checkpoint(passive)');
  } catch (thrown) {
    // The stop is committed, and its log stays.
    const error = toDomainError(thrown, connection.name);
    if (!isHkctlError(error) || error.code !== 'store_full') throw thrown;
  }
}
