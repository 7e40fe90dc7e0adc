import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { errnoOf, HkctlError } from '../../core/errors.ts';

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
 * Refuses a path that is too long with the ending of a journal (`ENAMETOOLONG`): SQLite would only say that it cannot be
 * opened. It takes 512 bytes, and a file system 255 for a name.
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

/** The domain's error for a driver whose binary is missing or does not load; any other thrown value is returned unchanged. */
function toDriverError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const code = errnoOf(thrown);
  if (code === 'MODULE_NOT_FOUND') return missingDriver(thrown);
  if (code === 'ERR_DLOPEN_FAILED') return unloadableDriver(thrown);
  return thrown;
}

const reinstallHint =
  'Install the package of hkctl for this system and processor, or run npm ci with this Node.';

/** The binary is missing if hkctl was installed or packed for another processor, or with a newer Node. */
function missingDriver(cause: Error): HkctlError {
  const { version, platform, arch } = process;
  const [majorVersion] = process.versions.node.split('.');
  const isOlderNode = Number(majorVersion) < 22;
  return new HkctlError(
    'store_unreadable',
    `This hkctl was installed without a driver for Node ${version} on ${platform}-${arch}.`,
    {
      hint: isOlderNode
        ? 'Use Node 22.14 or newer, or install it anew with this Node: npm ci, or a package that was made with Node 20.'
        : reinstallHint,
      cause,
    },
  );
}

/** The dynamic loader names a version that is missing as `GLIBC_2.34` or `GLIBCXX_3.4.29`. */
function unloadableDriver(cause: Error): HkctlError {
  const [, missingVersion = ''] = /version `([^']+)' not found/.exec(cause.message) ?? [];
  const [reason = ''] = cause.message.split('\n', 1);

  if (/^GLIBC_/.test(missingVersion)) return tooOld('C library', missingVersion, cause);
  if (/^(GLIBCXX|CXXABI)_/.test(missingVersion))
    return tooOld('C++ library', missingVersion, cause);
  return new HkctlError('store_unreadable', `The SQLite driver cannot be loaded: ${reason}`, {
    hint: reinstallHint,
    cause,
  });
}

function tooOld(library: string, missingVersion: string, cause: Error): HkctlError {
  return new HkctlError(
    'store_unreadable',
    `The ${library} of this system is too old for the SQLite driver: ${missingVersion} is missing.`,
    {
      hint: 'Use a system with glibc 2.34 and libstdc++ 11 or newer, such as Debian 12, Ubuntu 22.04 or RHEL 9.',
      cause,
    },
  );
}
