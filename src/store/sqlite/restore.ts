import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { KeptRevoked } from '../../core/backups.ts';
import { HkctlError, isHkctlError } from '../../core/errors.ts';
import { damagedBackup, type OpenBackup, openBackup } from './backup-file.ts';
import type { Connection } from './driver.ts';
import { translating } from './errors.ts';
import { type DatabaseName, databaseNames, filesOf, giveToFolderOwner, openFile, type StoreFiles } from './files.ts';
import { makeTables, migratedSchema } from './migrated-schema.ts';
import { finishRestore, preparedPath, syncFolderOf } from './prepared.ts';
import { revokedIn } from './revocations.ts';
import { copyRead, createPrivate, refusingRows, syncFile } from './whole-files.ts';

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
 * Revokes in a registry what the journal beside the store at `path` says was revoked since, so that no dead key comes back
 * to life. A note whose commit failed counts too, where it was not withdrawn: its key was about to die.
 */
export function replayRevocations(
  registry: Connection,
  path: string,
  file: string,
  migrationsFolder: string,
): KeptRevoked[] {
  const { revocations } = filesOf(path);
  if (revocations === null) return [];
  if (!existsSync(revocations)) {
    putBackJournal(revocations, file, migrationsFolder);
    return [];
  }
  const revoke = registry.prepare<[number, string], { prefix: string }>(
    'update keys set revoked_at_ms = ? where id = ? and revoked_at_ms is null returning prefix',
  );
  const kept: KeptRevoked[] = [];
  for (const [keyId, atMs] of revokedIn(readFileSync(revocations, 'utf8'))) {
    const found = revoke.get(atMs, keyId);
    if (found) kept.push({ keyId, prefix: found.prefix, atMs });
  }
  return kept;
}

/** On a machine that has no journal, the one of the backup goes on. */
function putBackJournal(journal: string, file: string, migrationsFolder: string): void {
  const { connection: backup } = openBackup(file, migrationsFolder);
  try {
    const text = backup.prepare<[], string>('select text from backup_journal').pluck().get();
    if (text === undefined) return;
    translating(journal, () => {
      writeFileSync(journal, text, { mode: 0o600, flag: 'wx', flush: true });
      giveToFolderOwner(journal);
    });
  } finally {
    backup.close();
  }
}

/**
 * Puts a prepared store in the place of the one at `path`. Which store is there is decided by one small file: before it
 * is on disk it is the old one, afterwards the new one, and whoever opens the store next ends what a crash has left.
 * Refuses (`state_forbids`) while another process has the old one open.
 */
export function commitRestore(path: string): void {
  const { ready } = preparedPath(path);
  const alone = existsSync(path) ? openAlone(path) : undefined;
  try {
    translating(ready, () => {
      writeFileSync(ready, '', { mode: 0o600, flush: true });
      giveToFolderOwner(ready);
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
 * Opens a database so that nobody else can, and without a log: closing it would delete the one of the new database, which
 * has the same name by then. Undefined for a damaged one.
 */
function openAlone(path: string): Connection | undefined {
  let connection: Connection | undefined;
  try {
    connection = openFile(path, { busyTimeoutMs: 1000, create: false });
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
    throw new HkctlError('state_forbids', `Another process has the store ${path} open; nothing was changed.`, {
      hint: 'Stop the daemon and every other hkctl, and try again.',
      cause: thrown,
    });
  }
}

function removeDatabases(files: StoreFiles): void {
  for (const name of databaseNames) {
    for (const kept of ['', '-wal', '-shm']) rmSync(`${files[name]}${kept}`, { force: true });
  }
}
