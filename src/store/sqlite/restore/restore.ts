import { existsSync, rmSync } from 'node:fs';
import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import { damagedBackup, type OpenBackup, openBackup } from '../backup/backup-file.ts';
import { copyRead, createPrivate, refusingRows, syncFile } from '../backup/whole-files.ts';
import type { Connection } from '../connection/driver.ts';
import { translating } from '../connection/errors.ts';
import { type DatabaseName, databaseNames, filesOf, openFile, type StoreFiles } from '../connection/files.ts';
import { writeSmallFile } from '../connection/safe-files.ts';
import { makeTables, migratedSchema } from '../schema/migrated-schema.ts';
import { finishRestore, preparedPath, syncFolderOf } from './prepared.ts';

/** Puts a store together from a backup that was checked, beside the one at `path`; gives the path of that store. */
export function prepareRestore(path: string, file: string, migrationsFolder: string): string {
  finishRestore(path);
  const { store } = preparedPath(path);
  const files = filesOf(store);
  removeDatabases(files);
  const backup = openBackup(file, migrationsFolder);
  try {
    for (const name of databaseNames) {
      const connection = translating(files[name], () => createPrivate(files[name]));
      try {
        translating(files[name], () => fill(connection, backup, name, file, migrationsFolder));
      } finally {
        connection.close();
      }
      syncFile(files[name]);
    }
    return store;
  } finally {
    backup.connection.close();
  }
}

/** Makes the tables of one database from our own migrations, of the version that the backup has, and copies its rows. */
function fill(
  connection: Connection,
  backup: OpenBackup,
  name: DatabaseName,
  file: string,
  migrationsFolder: string,
): void {
  const version = backup.versions[name];
  connection.exec('begin');
  makeTables(connection, name, version, migrationsFolder);
  const { tables } = migratedSchema(name, version, migrationsFolder);
  refusingRows(
    () => copyRead(backup.connection, connection, tables),
    () => damagedBackup(file, `it holds rows that its own tables forbid (${name})`),
  );
  connection.pragma(`user_version = ${version}`);
  connection.exec('commit');
  // A property of the file; those who open it expect it.
  connection.pragma('journal_mode = wal');
}

/** Throws a prepared store away, unless it is decided that it is the one to go on with. */
export function abandonRestore(path: string): void {
  const { store, ready } = preparedPath(path);
  if (!existsSync(ready)) removeDatabases(filesOf(store));
}

/**
 * Puts a prepared store in the place of the one at `path`. `last` is called while nobody else can have the old one open:
 * whatever was done to it was done before. Which store is there is decided by one small file: before it is on disk it is
 * the old one, afterwards the new one, and whoever opens the store next ends what a crash has left. Refuses
 * (`state_forbids`) while another process has the old one open.
 */
export async function replaceStore(
  path: string,
  last: (present: Connection | undefined) => Promise<void>,
): Promise<void> {
  const { ready } = preparedPath(path);
  const alone = existsSync(path) ? openAlone(path) : undefined;
  try {
    await last(alone);
    translating(ready, () => {
      writeSmallFile(ready, '', 'replace');
      syncFolderOf(ready);
    });
    finishRestore(path);
  } catch (thrown) {
    if (!existsSync(ready)) alone?.pragma('journal_mode = wal');
    throw thrown;
  } finally {
    alone?.close();
  }
}

/** How long to wait for commands that have the old store open for a moment. */
const aloneWaitsMs = 3000;

/**
 * Opens a database so that nobody else can, and without a log: closing it would delete the one of the new database, which
 * has the same name by then. Undefined for a damaged one.
 */
function openAlone(path: string): Connection | undefined {
  for (const deadlineMs = performance.now() + aloneWaitsMs; ; pause()) {
    let connection: Connection | undefined;
    try {
      connection = openFile(path, { busyTimeoutMs: 0, create: false });
      const held = connection;
      translating(path, () => {
        held.pragma('locking_mode = exclusive');
        held.pragma('journal_mode = delete');
      });
      return connection;
    } catch (thrown) {
      connection?.close();
      if (!isHkctlError(thrown) || thrown.code === 'store_unreadable') throw thrown;
      if (thrown.code === 'store_corrupt') return undefined;
      if (performance.now() < deadlineMs) continue;
      throw new HkctlError('state_forbids', `Another process has the store ${path} open; nothing was changed.`, {
        hint: 'Stop the daemon and every other hkctl, and try again.',
        cause: thrown,
      });
    }
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

function removeDatabases(files: StoreFiles): void {
  for (const name of databaseNames) {
    for (const kept of ['', '-wal', '-shm']) rmSync(`${files[name]}${kept}`, { force: true });
  }
}
