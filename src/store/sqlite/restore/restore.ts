import { existsSync, rmSync } from 'node:fs';
import { isHkctlError } from '../../../core/errors.ts';
import { copyDatabase } from '../../archive/copied-database.ts';
import { type OpenBackup, openBackup } from '../../archive/format.ts';
import { createPrivate, syncFile } from '../../archive/rows.ts';
import { openAlone } from '../connection/alone.ts';
import type { Connection } from '../connection/driver.ts';
import { translating } from '../connection/errors.ts';
import { databaseNames, filesOf, type StoreFiles } from '../connection/files.ts';
import { writeSmallFile } from '../connection/safe-files.ts';
import { migratedSchema } from '../schema/migrated-schema.ts';
import { finishRestore, preparedPath, syncFolderOf } from './prepared.ts';

/** Builds a store from a checked backup, beside the one at `path`; returns its path. `progress` receives shares from 0 to 1. */
export function prepareRestore(
  path: string,
  file: string,
  migrationsFolder: string,
  progress: (share: number) => void = () => {},
): string {
  finishRestore(path);
  const { store } = preparedPath(path);
  const files = filesOf(store);
  removeDatabases(files);
  const backup = openBackup(file, migrationsFolder);
  try {
    const total = translating(file, () => rowsIn(backup, migrationsFolder));
    let done = 0;
    const copied = (rows: number) => {
      done += rows;
      progress(Math.min(1, done / total));
    };
    for (const name of databaseNames) {
      const connection = translating(files[name], () => createPrivate(files[name]));
      try {
        translating(files[name], () => fill(connection, backup, { name, file, migrationsFolder, copied }));
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

/** Fills one database, in the version of its tables. */
function fill(connection: Connection, backup: OpenBackup, copy: Parameters<typeof copyDatabase>[2]): void {
  connection.exec('begin');
  const version = copyDatabase(backup, connection, copy);
  connection.pragma(`user_version = ${version}`);
  connection.exec('commit');
  // A property of the file, which those who open it expect.
  connection.pragma('journal_mode = wal');
}

function rowsIn({ connection, versions }: OpenBackup, migrationsFolder: string): number {
  const tables = databaseNames.flatMap((name) => migratedSchema(name, versions[name], migrationsFolder).tables);
  const countOf = ({ name }: { name: string }) =>
    Number(connection.prepare(`select count(*) from "${name}"`).pluck().get());
  return tables.reduce((sum, table) => sum + countOf(table), 0);
}

/** Removes a prepared store unless it is marked as complete. */
export function abandonRestore(path: string): void {
  const { store, ready } = preparedPath(path);
  if (!existsSync(ready)) removeDatabases(filesOf(store));
}

/**
 * Replaces the store at `path` by the prepared one. `last` is called while no other process can have the old store open, so
 * that it sees every change. One small file decides: before it is on disk the old store is valid, afterwards the new one,
 * and the next process that opens the store completes the restore. Throws `state_forbids` while another process has the old
 * store open.
 */
export async function replaceStore(
  path: string,
  last: (present: Connection | undefined) => Promise<void>,
): Promise<void> {
  const { ready } = preparedPath(path);
  const alone = existsSync(path) ? openRegistryAlone(path) : undefined;
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

/**
 * Opens a registry alone and without WAL, since closing it would delete the log of the new database, which has the same name by
 * then. Undefined for a damaged one.
 */
function openRegistryAlone(path: string): Connection | undefined {
  try {
    return openAlone(path, path, (registry) => registry.pragma('journal_mode = delete'));
  } catch (thrown) {
    if (isHkctlError(thrown) && thrown.code === 'store_corrupt') return undefined;
    throw thrown;
  }
}

function removeDatabases(files: StoreFiles): void {
  for (const name of databaseNames) {
    for (const kept of ['', '-wal', '-shm']) rmSync(`${files[name]}${kept}`, { force: true });
  }
}
