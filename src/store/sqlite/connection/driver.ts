import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { HkctlError } from '../../../core/errors.ts';

/** An open SQLite database. */
export type Connection = BetterSqlite3.Database;
/** A prepared statement that gives rows of a shape. */
export type Statement<Row = unknown> = BetterSqlite3.Statement<unknown[], Row>;

/**
 * Opens a database with the major of better-sqlite3 that fits this Node: 13 needs Node 22, 12 aborts on Node 24 when a
 * statement is collected. The alias goes when Node 20 goes. Loaded here and not at the top, so that `--help` pays nothing.
 * Opens exactly the file that is named, or throws `bad_input`.
 */
export function openDatabase(given: string, options: BetterSqlite3.Options): Connection {
  const file = given === ':memory:' ? given : exactPath(given);
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

/**
 * An absolute path, which SQLite never takes for a `file:` URI with options of its own (SQLITE_USE_URI in the environment
 * would make it do so). The driver cuts white space off a name, and would open another file than the one that was checked.
 */
export function exactPath(file: string): string {
  if (file === file.trim() && file !== '') return resolve(file);
  throw new HkctlError(
    'bad_input',
    `The path "${file}" begins or ends with white space; SQLite could open another file.`,
    {
      hint: 'Name the file otherwise.',
    },
  );
}
