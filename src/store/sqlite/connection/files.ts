import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, HkctlError } from '../../../core/errors.ts';
import { storeAbsent } from '../../shared/errors.ts';
import { type Connection, openDatabase } from '../../sqlite-file/driver.ts';
import { translating } from '../../sqlite-file/errors.ts';
import { databaseNames } from '../../sqlite-file/schema/schema-versions.ts';

export type StoreFiles = ReturnType<typeof filesOf>;

/** The files of the store at a path, next to each other under one name. */
export function filesOf(storePath: string) {
  const stem = storePath.endsWith('.db') ? storePath.slice(0, -3) : storePath;
  return {
    registry: storePath,
    records: `${stem}.records.db`,
    readings: `${stem}.readings.db`,
    revocations: `${stem}.revocations`,
    /** Empty; locked by each daemon that serves the store. */
    daemons: `${stem}.daemons`,
    /** Space that a stop frees for itself if the disk is full. */
    reserve: `${stem}.reserve`,
    /** Empty; locked by a command while it replaces files of secrets. */
    rotations: `${stem}.rotations`,
    /** The new store that a restore builds, and the file that marks it as complete. */
    restored: `${stem}.restored.db`,
    ready: `${stem}.restored.ready`,
  };
}

const sidecars = ['-wal', '-shm', '-journal'];

export function possibleFiles(files: StoreFiles): string[] {
  const suffixes = ['', ...sidecars];
  return Object.values(files).flatMap((file) => suffixes.map((suffix) => file + suffix));
}

/** Removes SQLite's files next to a database: it would read the log of an old one as that of a new one with the same name. */
export function removeSidecars(database: string): void {
  for (const suffix of sidecars) rmSync(database + suffix, { force: true });
}

/** In bytes; 0 for a file that does not exist. */
export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

const defaultTimeoutMs = 5000;

interface ConnectionOptions {
  busyTimeoutMs?: number | undefined;
  create?: boolean;
  /** Whether a file that is created can become shorter later on. */
  canShorten?: boolean;
}

/** Opens one database of a store: WAL, synced at every commit, foreign keys on; files for their owner only. */
export function openFile(
  databaseFile: string,
  { busyTimeoutMs = defaultTimeoutMs, create = false, canShorten = false }: ConnectionOptions = {},
): Connection {
  if (!create && !existsSync(databaseFile)) throw absentFile(databaseFile);

  return translating(databaseFile, () => {
    if (create) {
      makeFolder(dirname(databaseFile));
      // SQLite makes the -wal and -shm files with the mode of the database itself.
      closeSync(openSync(databaseFile, 'a', 0o600));
      chmodSync(databaseFile, 0o600);
    }

    const connection = openDatabase(databaseFile, { timeout: busyTimeoutMs, fileMustExist: true });
    // Both are properties of the file, the rest is of the connection.
    if (canShorten) allowShorterFile(connection);
    if (create) writeAhead(connection);
    connection.exec(pragmas);
    return connection;
  });
}

/** The error for a file that does not exist: the store lacks it if its registry is there. */
function absentFile(databaseFile: string): HkctlError {
  const stem = databaseFile.replace(/\.(?:records|readings)\.db$/, '');
  if (stem !== databaseFile) {
    // The name of a store may have no `.db`.
    const registryPath = [`${stem}.db`, stem].find((candidatePath) => existsSync(candidatePath));
    if (registryPath !== undefined) return missingFile(registryPath, databaseFile);
  }
  return storeAbsent(
    databaseFile,
    'Make one with: hkctl init. Or name another with --store PATH or HKCTL_STORE.',
  );
}

/** `store_corrupt` (exit 6). */
export function missingFile(storePath: string, missingPath: string): HkctlError {
  return new HkctlError(
    'store_corrupt',
    `The file ${missingPath} of the store ${storePath} is missing.`,
    {
      hint: 'Put it back, or go back to your last backup with: hkctl restore FILE',
    },
  );
}

/** Switches a database to WAL. SQLite refuses one of two processes that do so at once; that one tries again. */
export function writeAhead(connection: Connection): void {
  const timeoutMs = Number(connection.pragma('busy_timeout', { simple: true }));
  let deadlineMs: number | undefined;
  for (;;) {
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (thrown) {
      if (errnoOf(thrown) !== 'SQLITE_BUSY') throw thrown;
      deadlineMs ??= performance.now() + timeoutMs;
      if (performance.now() > deadlineMs) throw thrown;
      pause(5);
    }
  }
}

/**
 * FULL, since an answer promises durability; checkpoints are rare, since each one stalls a commit; the cache holds the inner
 * pages of the indexes of millions of rows. The content of the files is not trusted: a schema must not call functions with
 * side effects, and pages with overlapping cells count as damage. The driver sets SQLite's defensive mode.
 */
const pragmas =
  'pragma synchronous = FULL; pragma foreign_keys = ON; pragma trusted_schema = OFF; pragma cell_size_check = ON; pragma wal_autocheckpoint = 4000; pragma cache_size = -16000';

/** Creates a folder for its owner only. Node's recursive mkdir never returns if a file system refuses one, as /proc does. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EEXIST') throw thrown;
  }
}

/** Blocks this thread for a moment. */
export function pause(ms: number): void {
  const neverNotified = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(neverNotified, 0, 0, ms);
}

/**
 * Returns a function that names the first file that is not at its path any more; undefined if all are. SQLite goes
 * on with a file that was removed or renamed, without an error, and misses what others commit to the one at its path.
 */
export function watchFiles(files: StoreFiles): () => string | undefined {
  const databases = databaseNames.map((name) => files[name]);
  const logs = databases.flatMap((file) => [`${file}-wal`, `${file}-shm`]);
  const watchedFiles = [...databases, ...logs, files.revocations];
  /** Device and inode of each file; of a file that did not exist yet, from when it is first seen. */
  const identities = new Map<string, string>();

  const findDisplaced = () =>
    watchedFiles.find((file) => {
      const identity = identityAt(file);
      const knownIdentity = identities.get(file);
      if (knownIdentity === undefined && identity !== undefined) identities.set(file, identity);
      return knownIdentity !== undefined && knownIdentity !== identity;
    });
  findDisplaced();
  return findDisplaced;
}

function identityAt(file: string): string | undefined {
  return translating(file, () => {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  });
}

/** Pages that are moved at once: half a megabyte. */
const pagesAtOnce = 128;

/** Lets the file of an empty database become shorter later on: see {@link releaseFreePages}. */
export function allowShorterFile(connection: Connection): void {
  connection.pragma('auto_vacuum = incremental');
}

/**
 * Gives some of the free pages of a database back to the file system, and returns whether there are more. Stores of 0.2.0 were
 * made without {@link allowShorterFile}: they keep their free pages for rows to come.
 */
export function releaseFreePages(connection: Connection): boolean {
  const before = freePages(connection);
  if (before === 0) return false;
  connection.pragma(`incremental_vacuum(${pagesAtOnce})`);
  const after = freePages(connection);
  return after > 0 && after < before;
}

function freePages(connection: Connection): number {
  return Number(connection.pragma('freelist_count', { simple: true }));
}

/** Moves the write-ahead log into the database and empties its file, unless somebody reads from it now: the next one can do so. */
export function emptyWriteAheadLog(connection: Connection): void {
  const busyTimeoutMs = Number(connection.pragma('busy_timeout', { simple: true }));
  connection.pragma('busy_timeout = 0');
  try {
    connection.pragma('wal_checkpoint(truncate)');
  } finally {
    connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}
