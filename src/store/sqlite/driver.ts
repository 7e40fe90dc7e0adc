import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/** An open SQLite database. */
export type Connection = BetterSqlite3.Database;
/** A prepared statement that gives rows of a shape. */
export type Statement<Row = unknown> = BetterSqlite3.Statement<unknown[], Row>;

/**
 * Opens a database with the major of better-sqlite3 that fits this Node: 13 needs Node 22, 12 aborts on Node 24 when a
 * statement is collected. The alias goes when Node 20 goes. Loaded here and not at the top, so that `--help` pays nothing.
 */
export function openDatabase(file: string, options: BetterSqlite3.Options): Connection {
  const [major = 0] = process.versions.node.split('.').map(Number);
  const load = createRequire(__filename);
  if (major >= 22) {
    const Driver: typeof BetterSqlite3 = load('better-sqlite3');
    return new Driver(file, options);
  }
  const Driver: typeof BetterSqlite3 = load('better-sqlite3-12');
  // Told where it is, the driver does not search a dozen folders for its binary.
  const nativeBinding = load.resolve('better-sqlite3-12/build/Release/better_sqlite3.node');
  return new Driver(file, { ...options, nativeBinding });
}
