import { closeSync, existsSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { userVersionAt } from '../backup-file/format.ts';
import { copyArchiveRows, syncFile, syncFolderOf } from '../backup-file/rows.ts';
import { type Connection, openDatabase, withConnection } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import { makeTables, migratedSchema } from '../sqlite-file/schema/migrated-schema.ts';
import { rowsToChunks } from '../sqlite-file/schema/rows-to-chunks.ts';
import { firstWithChunks } from '../sqlite-file/schema/schema-versions.ts';
import { filesOf, openFile, removeSidecars, sizeOf } from './connection/files.ts';
import { openAlone } from './connection/locks.ts';

interface OlderReadings {
  path: string;
  version: number;
  migrationsFolder: string;
  backup: string | undefined;
  progress(share: number): void;
}

/** Readings between two commits: what a killed process has to repeat, some tenths of a second. */
const readingsInCommit = 1 << 18;

/** Whether a migration that was killed can go on: the backup that it made, if any; undefined if there is none to go on with. */
export function unfinishedRebuild(path: string): { backup: string | undefined } | undefined {
  const file = filesOf(path).rebuilt;
  if (!existsSync(file)) return undefined;
  return translating(file, () =>
    withConnection(openDatabase(file, { fileMustExist: true }), (made) => {
      // Without it, the process was killed when it had just made the file.
      if (!made.prepare("select 1 from sqlite_master where name = 'migrated_from'").get())
        return undefined;
      const found = made.prepare<[string | null], { backup: string | null }>(
        'select backup from migrated_from where identity = ?',
      );
      const source = found.get(identityOf(filesOf(path).readings));
      return source && { backup: source.backup ?? undefined };
    }),
  );
}

export function removeRebuild(path: string): void {
  const { rebuilt } = filesOf(path);
  rmSync(rebuilt, { force: true });
  removeSidecars(rebuilt);
}

/**
 * Converts older readings into a new database of chunks. Killing the process loses less than a second of work: the next call
 * goes on. No other process can have the old one open meanwhile.
 */
export function rebuildReadings(older: OlderReadings) {
  const { path } = older;
  const { readings } = filesOf(path);
  const old = openAlone(readings, path, (connection) => connection.exec('begin immediate; commit'));
  let made: Connection | undefined;
  const close = () => {
    made?.close();
    old.close();
  };
  try {
    return translating(path, () => {
      // Without a log the state of the file is that of the database.
      old.pragma('wal_checkpoint(truncate)');
      const isBegun = unfinishedRebuild(path) !== undefined;
      if (!isBegun) removeRebuild(path);
      const filled = openFile(filesOf(path).rebuilt, { create: true });
      made = filled;
      if (!isBegun) makeEmpty(filled, older, identityOf(readings));
      // Its log keeps it consistent also if the machine fails; it is synced before it takes the place of the old one.
      filled.pragma('synchronous = normal');
      fill(old, filled, older);
      return { putInPlace: () => translating(path, () => replace(old, filled, readings)), close };
    });
  } catch (thrown) {
    close();
    throw thrown;
  }
}

/** Identifies the state of a database that has no log: any change of it changes its file. Null if there is a log. */
function identityOf(file: string): string | null {
  if (sizeOf(`${file}-wal`) > 0) return null;
  const { ino, size, mtimeNs } = statSync(file, { bigint: true });
  return [ino, size, mtimeNs].join(' ');
}

function makeEmpty(
  made: Connection,
  { migrationsFolder, backup }: OlderReadings,
  identity: string | null,
): void {
  made.exec('begin; create table migrated_from (identity text not null, backup text)');
  made.prepare('insert into migrated_from values (?, ?)').run(identity, backup);
  makeTables(made, 'readings', firstWithChunks, migrationsFolder);
  made.pragma(`user_version = ${firstWithChunks}`);
  made.exec('commit');
}

function fill(
  old: Connection,
  made: Connection,
  { version, migrationsFolder, progress }: OlderReadings,
): void {
  const done = made
    .prepare<[], { series: number; atUs: number }>(
      'select series, to_us as atUs from chunks order by id desc limit 1',
    )
    .get();
  made.exec('begin');
  if (!done) {
    const { tables } = migratedSchema('readings', version, migrationsFolder);
    const others = tables.filter(({ name }) => name !== 'readings');
    for (const { name } of others) made.exec(`delete from "${name}"`);
    copyArchiveRows(old, made, others);
  }
  let uncommitted = 0;
  for (const { count, share } of rowsToChunks({ from: old, to: made, done })) {
    uncommitted += count;
    if (uncommitted < readingsInCommit) continue;
    made.exec('commit; begin');
    uncommitted = 0;
    progress(share);
  }
  made.exec('commit');
}

function replace(old: Connection, made: Connection, readings: string): void {
  // On a full disk this is what fails, and what was converted must still be known as such then.
  made.pragma('wal_checkpoint(truncate)');
  made.exec('drop table migrated_from');
  made.pragma('wal_checkpoint(truncate)');
  made.close();
  syncFile(made.name);
  // SQLite would read the log of the old database, which has the same name, as that of the new one.
  old.pragma('journal_mode = delete');
  rmSync(`${readings}-journal`, { force: true });
  const fd = openSync(readings, 'r+');
  try {
    renameSync(made.name, readings);
    syncFolderOf(readings);
    // A program of the older version that has been waiting for the old file would write to it, and what it wrote would be lost.
    writeSync(fd, Uint8Array.of(0, 0, 0, firstWithChunks), 0, 4, userVersionAt);
  } finally {
    closeSync(fd);
  }
}
