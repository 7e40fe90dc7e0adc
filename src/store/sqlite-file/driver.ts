import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { HkctlError } from '../../core/errors.ts';
import { toDriverError } from './driver-errors.ts';

export type Connection = BetterSqlite3.Database;
export type Transaction<Work extends (...given: never[]) => unknown> =
  BetterSqlite3.Transaction<Work>;
export type Statement<Row = unknown> = BetterSqlite3.Statement<unknown[], Row>;

/**
 * Opens a database with the major of better-sqlite3 that fits this Node: 13 needs Node 22, 12 aborts on Node 24 when a
 * statement is garbage-collected. The alias can be removed with Node 20. The driver is loaded here, not at the top, so that
 * `--help` does not load it. Opens exactly the named file, or throws `bad_input`; without a name, a temporary one that SQLite removes.
 */
export function openDatabase(typedPath: string, options: BetterSqlite3.Options): Connection {
  const file = typedPath === ':memory:' || typedPath === '' ? typedPath : exactPath(typedPath);
  try {
    return loadAndOpen(file, options);
  } catch (thrown) {
    throw toDriverError(thrown);
  }
}

function loadAndOpen(file: string, options: BetterSqlite3.Options): Connection {
  const [major = 0] = process.versions.node.split('.').map(Number);
  const load = createRequire(__filename);
  if (major >= 22) {
    const Driver: typeof BetterSqlite3 = load('better-sqlite3');
    return new Driver(file, options);
  }
  // With this path the driver does not search a dozen folders for its binary.
  const nativeBinding = load.resolve('better-sqlite3-12/build/Release/better_sqlite3.node');
  const Driver: typeof BetterSqlite3 = load('better-sqlite3-12');
  return new Driver(file, { ...options, nativeBinding });
}

/** Runs something with a connection and closes it. */
export function withConnection<T>(connection: Connection, work: (connection: Connection) => T): T {
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

/**
 * Refuses a path that is too long with the ending of a journal (`ENAMETOOLONG`), of which SQLite would only say that it cannot be
 * opened: it takes 512 bytes, and a file system 255 for a name.
 */
export function requireShort(file: string): void {
  const longest = Buffer.from(`${resolve(file)}-journal`);
  if (longest.length <= 512 && Buffer.byteLength(basename(`${longest}`)) <= 255) return;
  throw Object.assign(new Error(`${file} is too long a path`), { code: 'ENAMETOOLONG' });
}

/** SQLite never reads an absolute path as a `file:` URI. The driver trims white space off a name, and would open another file. */
function exactPath(file: string): string {
  if (file === file.trim() && file !== '') return resolve(file);
  throw new HkctlError(
    'bad_input',
    `The path "${file}" begins or ends with white space; SQLite could open another file.`,
    {
      hint: 'Rename the file.',
    },
  );
}
