import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { isHkctlError } from '../../../core/errors.ts';
import { carriedMarks, copyDatabase, waitingDrafts } from '../../archive/copying.ts';
import type { OpenBackup } from '../../archive/format.ts';
import type { Replacement } from '../../archive/restoring.ts';
import { createPrivate, syncFile, syncFolderOf } from '../../archive/rows.ts';
import type { Connection } from '../../sqlite-database/driver.ts';
import { translating } from '../../sqlite-database/errors.ts';
import { type DatabaseName, databaseNames, migratedSchema } from '../../sqlite-database/schema/migrated-schema.ts';
import { schemaVersions } from '../../sqlite-database/schema/schema-versions.ts';
import { filesOf, type StoreFiles } from '../connection/files.ts';
import { openAlone } from '../connection/locks.ts';
import { preparedPath, putInPlace } from '../prepared.ts';
import { drawEpoch } from '../records/changes.ts';

/** Builds a store of this version from a checked backup, next to the one at `path`; returns its path. */
export function prepareRestore(path: string, backup: Replacement, migrationsFolder: string): string {
  const { file, progress } = backup;
  putInPlace(path);
  const { store } = preparedPath(path);
  const files = filesOf(store);
  removeDatabases(files);
  const total = translating(file, () => rowsIn(backup, migrationsFolder));
  let done = 0;
  const copied = (rows: number) => {
    done += rows;
    progress(Math.min(1, done / total));
  };
  for (const name of databaseNames) {
    translating(files[name], () => {
      const connection = createPrivate(files[name]);
      try {
        connection.exec('begin');
        copyDatabase(backup, connection, { name, file, migrationsFolder, without: startedAnew, copied });
        addOwnRows(connection, name, backup.connection);
        connection.pragma(`user_version = ${schemaVersions[name]}`);
        connection.exec('commit');
        // A property of the file, which those who open it expect.
        connection.pragma('journal_mode = wal');
      } finally {
        connection.close();
      }
      syncFile(files[name]);
    });
  }
  return store;
}

/** Tables of a new store whose rows are of its own. */
const startedAnew: ReadonlySet<string> = new Set(['marks', 'daemons', 'audit_outbox', 'record_epoch']);

function addOwnRows(to: Connection, name: DatabaseName, backup: Connection): void {
  if (name === 'registry') {
    const put = to.prepare<[string, number]>('insert into marks (name, value) values (?, ?)');
    for (const { name, value } of carriedMarks(backup)) put.run(name, value);
  } else if (name === 'records') {
    const put = to.prepare<[string]>('insert into audit_outbox (draft) values (?)');
    for (const draft of waitingDrafts(backup)) put.run(draft);
    // Ends sync tokens: mirrors have followed the store that is replaced, and what they have seen since the backup may be undone.
    drawEpoch(to);
  }
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
      closeSync(openSync(ready, 'w', 0o600));
      syncFile(ready);
      syncFolderOf(ready);
    });
    putInPlace(path);
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
