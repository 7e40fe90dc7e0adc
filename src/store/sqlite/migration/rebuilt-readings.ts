import { closeSync, existsSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { userVersionAt } from '../../archive/format.ts';
import { copyAttached, syncFile, syncFolderOf } from '../../archive/rows.ts';
import { type Connection, exactPath, openDatabase } from '../../sqlite-database/driver.ts';
import { translating } from '../../sqlite-database/errors.ts';
import { makeTables, migratedSchema } from '../../sqlite-database/schema/migrated-schema.ts';
import { rowsToChunks } from '../../sqlite-database/schema/rows-to-chunks.ts';
import { firstWithChunks } from '../../sqlite-database/schema/schema-versions.ts';
import { filesOf, openFile, rebuiltPath } from '../connection/files.ts';
import { openAlone } from '../connection/locks.ts';

/** The database of readings of an older store, which keeps a row for each reading. */
interface OlderReadings {
  path: string;
  version: number;
  migrationsFolder: string;
  /** The backup that was written before. */
  backup: string | undefined;
  /** Receives how much was converted, from 0 to 1. */
  progress(share: number): void;
}

/** Readings between two commits: what a killed process has to repeat, some tenths of a second. */
const readingsInCommit = 1 << 18;

/** Whether a migration that was killed can go on: the backup that it made, if any; undefined if there is none to go on with. */
export function unfinishedRebuild(path: string): { backup: string | undefined } | undefined {
  const file = rebuiltPath(path);
  if (!existsSync(file)) return undefined;
  return translating(file, () => {
    const made = openDatabase(file, { fileMustExist: true });
    try {
      // Without it, the process was killed when it had just made the file.
      if (!made.prepare("select 1 from sqlite_master where name = 'migrated_from'").get()) return undefined;
      const found = made.prepare<[string | null], { backup: string | null }>(
        'select backup from migrated_from where identity = ?',
      );
      const source = found.get(identityOf(filesOf(path).readings));
      return source && { backup: source.backup ?? undefined };
    } finally {
      made.close();
    }
  });
}

export function removeRebuild(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${rebuiltPath(path)}${end}`, { force: true });
}

/** A new database of readings, complete next to the old one, which no other process can open meanwhile. */
interface Rebuilt {
  putInPlace(): void;
  close(): void;
}

/**
 * Makes a new database of readings in chunks from that of an older store, which stays as it is. Killing the process loses
 * less than a second of work: the next call continues, unless the old database was changed meanwhile. Throws `state_forbids` while another
 * process has it open.
 */
export function rebuildReadings(older: OlderReadings): Rebuilt {
  const { path } = older;
  const { readings } = filesOf(path);
  const file = rebuiltPath(path);
  const old = openAlone(readings, path, (connection) => connection.exec('begin immediate; commit'));
  try {
    translating(path, () => {
      // Without a log the state of the file is that of the database.
      old.pragma('main.wal_checkpoint(truncate)');
      if (!unfinishedRebuild(path)) {
        removeRebuild(path);
        createEmpty(file, older, identityOf(readings));
      }
      old.prepare('attach ? as made').run(exactPath(file));
      // Its log keeps it consistent also if the machine fails; it is synced before it takes the place of the old one.
      old.pragma('made.synchronous = normal');
      fill(old, older);
    });
  } catch (thrown) {
    old.close();
    throw thrown;
  }
  return {
    putInPlace: () => translating(path, () => replace(old, file, readings)),
    close: () => old.close(),
  };
}

/** Identifies the state of a database that has no log: any change of it changes its file. Null if there is a log. */
function identityOf(file: string): string | null {
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return null;
  const { ino, size, mtimeNs } = statSync(file, { bigint: true });
  return [ino, size, mtimeNs].join(' ');
}

function createEmpty(file: string, { migrationsFolder, backup }: OlderReadings, identity: string | null): void {
  const made = openFile(file, { create: true });
  try {
    made.exec('begin; create table migrated_from (identity text not null, backup text)');
    made.prepare('insert into migrated_from values (?, ?)').run(identity, backup);
    makeTables(made, 'readings', firstWithChunks, migrationsFolder);
    made.pragma(`user_version = ${firstWithChunks}`);
    made.exec('commit');
  } finally {
    made.close();
  }
}

/** Copies everything that a killed process has not copied yet. */
function fill(old: Connection, { version, migrationsFolder, progress }: OlderReadings): void {
  const done = old
    .prepare<[], { series: number; atUs: number }>(
      'select series, to_us as atUs from made.chunks order by id desc limit 1',
    )
    .get();
  old.exec('begin');
  if (!done) {
    const { tables } = migratedSchema('readings', version, migrationsFolder);
    const others = tables.filter(({ name }) => name !== 'readings');
    for (const { name } of others) old.exec(`delete from made."${name}"`);
    copyAttached(old, 'main', 'made', others);
  }
  let uncommitted = 0;
  // The old database has no table of that name, so that the chunks go into the new one.
  for (const { count, share } of rowsToChunks({ from: old, rows: 'main.readings', to: old, done })) {
    uncommitted += count;
    if (uncommitted < readingsInCommit) continue;
    old.exec('commit; begin');
    uncommitted = 0;
    progress(share);
  }
  old.exec('commit');
}

function replace(old: Connection, file: string, readings: string): void {
  // On a full disk this is what fails, and what was converted must still be known as such then.
  old.pragma('made.wal_checkpoint(truncate)');
  old.exec('drop table made.migrated_from');
  old.pragma('made.wal_checkpoint(truncate)');
  old.exec('detach made');
  syncFile(file);
  // SQLite would read the log of the old database, which has the same name, as that of the new one.
  old.pragma('main.journal_mode = delete');
  rmSync(`${readings}-journal`, { force: true });
  const fd = openSync(readings, 'r+');
  try {
    renameSync(file, readings);
    syncFolderOf(readings);
    // A program of the older version that has been waiting for the old file would write to it, and what it wrote would be lost.
    writeSync(fd, Uint8Array.of(0, 0, 0, firstWithChunks), 0, 4, userVersionAt);
  } finally {
    closeSync(fd);
  }
}
