import { sql } from 'drizzle-orm/sql';
import { isHkctlError } from '../../../core/errors.ts';
import { lazy, memoizeBy } from '../../../core/memoize.ts';
import type { Dialect, RegistryStatement } from '../../shared/registry/statements.ts';
import type { Connection, Statement as PreparedStatement } from '../../sqlite-file/driver.ts';
import { toDomainError, translating } from '../../sqlite-file/errors.ts';
import { sqliteBuilder } from '../../tables/kits/sqlite.ts';
import * as tables from '../../tables/sqlite/registry.ts';
import type { Reserve } from '../connection/reserve.ts';

export type Registry = ReturnType<typeof createRegistry>;

/** Wraps an open registry. `reserve` belongs to its store; a registry that only a restore changes needs none. */
export function createRegistry(connection: Connection, storePath: string, reserve?: Reserve) {
  // It does not change with commits of its own connection; both numbers only grow, so that their sum shows both.
  const selectOtherChanges = lazy(() => connection.prepare('PRAGMA data_version').pluck());
  let ownChanges = 0;

  /** Runs something that changes nothing, while no other process changes anything. */
  const alone = <T>(operation: () => T): T => {
    ownChanges++;
    return translating(storePath, () => connection.transaction(operation).immediate());
  };

  /** Runs a change in one transaction that holds the write lock from its start. */
  const change = <T>(operation: () => T): T => {
    reserve?.requireWhole();
    return alone(operation);
  };

  return {
    connection,
    /** Grows with each commit to the registry by any connection. */
    changeCounter: () =>
      translating(storePath, () => {
        const otherChanges = Number(selectOtherChanges().get());
        return otherChanges + ownChanges;
      }),
    read: <T>(operation: () => T): T => translating(storePath, operation),
    change,
    alone,
    /** The same for a change that stops something, and so must work on a full disk, too. */
    stop<T>(operation: () => T): T {
      if (!reserve) return alone(operation);

      const result = reserve.withRoom(() => alone(operation));
      if (reserve.hasFreed) restartLog(connection);
      return result;
    },
    /** The same for a sample of the clock: it is not worth the seconds that a change may wait for another writer, and the next one follows soon. */
    sample<T>(operation: () => T): T {
      const busyTimeoutMs = translating(storePath, () =>
        Number(connection.pragma('busy_timeout', { simple: true })),
      );
      connection.pragma('busy_timeout = 0');
      try {
        return change(operation);
      } finally {
        connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
      }
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

type Readable = Pick<Registry, 'connection' | 'read'>;

/** Runs compiled statements on a connection, which prepares each at its first use. */
export function createExecutor({ connection, read }: Readable) {
  const statementFor = memoizeBy<PreparedStatement>();
  const prepareRaw = (sql: string) => {
    const statement = connection.prepare(sql);
    return statement.reader ? statement.raw() : statement;
  };

  return {
    query: <Row>(statement: RegistryStatement<Row>, values: object = {}): Row[] =>
      read(() => {
        const { text, valuesOf, rowOf } = statement();
        const preparedStatement = statementFor(text, () => prepareRaw(text));
        const parameters = valuesOf(values);
        if (preparedStatement.reader) return rawRows(preparedStatement.all(parameters)).map(rowOf);

        preparedStatement.run(parameters);
        return [];
      }),
    first: <Row>(statement: RegistryStatement<Row>, values: object = {}): Row | undefined =>
      read(() => {
        const { text, valuesOf, rowOf } = statement();
        const preparedStatement = statementFor(text, () => prepareRaw(text));
        const row = preparedStatement.get(valuesOf(values));
        return row === undefined ? undefined : rowOf(row as unknown[]); // a raw row
      }),
  };
}

function rawRows(rows: unknown[]): unknown[][] {
  return rows as unknown[][]; // `raw()` returns arrays
}

export const dialect: Dialect = {
  builder: sqliteBuilder,
  tables,
  lastUse: {
    atMs: sql`${tables.keys.lastUsedAtMs}`,
    ip: sql`${tables.keys.lastUsedIp}`,
    joinTo: (query) => query,
  },
  tenantOrder: sql`rowid`,
  withoutIndex: (condition) => sql`+${condition}`,
  // A transaction of the registry excludes all others.
  lockRows: (query) => query,
  selectLastSeq: () =>
    sqliteBuilder
      .select({ lastSeq: sql<number>`seq` })
      .from(sql`sqlite_sequence`)
      .where(sql`name = 'audit'`),
  elementsOf: (array) => sql`(select value from json_each(${array}))`,
  isLike: (column, pattern) => sql`${column} like ${pattern} escape '\\'`,
  hasTarget: (part) => sql`instr(lower(${tables.audit.target}), ${part}) > 0`,
};
