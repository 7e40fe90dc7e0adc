import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { HkctlError } from '../../core/errors.ts';
import type { BackupTarget, WrittenBackup } from '../../core/operations/backups.ts';
import type { BackupRequest } from '../../core/operations/engine.ts';
import { copyArchiveRows } from '../backup-file/copying.ts';
import { addTables } from '../backup-file/format.ts';
import { translatingTarget } from '../backup-file/target.ts';
import { writeBackupFrom } from '../backup-file/writing.ts';
import { Chunks } from '../sqlite-file/chunks/chunks.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import type { OwnTable } from '../sqlite-file/schema/migrated-schema.ts';
import { type DatabaseName, databaseNames } from '../sqlite-file/schema/schema-versions.ts';
import {
  filesOf,
  missingFile,
  openFile,
  possibleFiles,
  type StoreFiles,
  sizeOf,
} from './connection/files.ts';
import { BufferMemory, remember } from './readings/write-buffer/write-buffer.ts';
import { compactSeries } from './readings/writer/compaction.ts';
import { readJournalFile } from './registry/revocation-journal.ts';

/**
 * Writes a backup (mode 0600) while others read and write; `state_forbids` if the file exists and `force` is false. The
 * snapshot of the registry is the last one, so that no revocation before it is missed.
 */
export function writeBackup(
  storePath: string,
  target: BackupTarget,
  { migrationsFolder, ...request }: BackupRequest & { migrationsFolder: string },
): Promise<WrittenBackup> {
  const files = filesOf(storePath);
  // For a file that cannot be attached SQLite would only report that it cannot open the backup.
  const missingDatabase = databaseNames
    .map((name) => files[name])
    .find((database) => !existsSync(database));
  if (missingDatabase !== undefined) throw missingFile(storePath, missingDatabase);
  if (typeof target === 'string') requireElsewhere(target, storePath);

  const source = {
    migrationsFolder,
    copyTo: (backup: Connection) => copyTo(backup, files, migrationsFolder),
    shown: `The store ${storePath}`,
    workPath: workPathFor(target, files),
    ownFolder: dirname(files.registry),
  };
  return writeBackupFrom(source, target, request);
}

/** Free space that a backup leaves on the disk of the store, on which a daemon may be writing. */
const minFreeBytes = 2 ** 24;

/**
 * A backup is written and checked in the folder of the store, which only its account can write. If its disk has no room, the folder
 * of the target serves, which is closed to other accounts, too.
 */
function workPathFor(target: BackupTarget, files: StoreFiles): string {
  const folder = dirname(files.registry);
  return translating(folder, () => {
    const neededBytes = databaseNames.reduce(
      (total, name) => total + sizeWithLog(files[name]),
      minFreeBytes,
    );
    const { bavail, bsize } = statfsSync(folder);
    const hasRoom = bavail * bsize >= neededBytes;
    return hasRoom || typeof target !== 'string' ? files.registry : target;
  });
}

function sizeWithLog(database: string): number {
  return sizeOf(database) + sizeOf(`${database}-wal`);
}

/**
 * A table as it is in a backup, which has all readings in chunks. A restored store makes sums of days of them; of those that retention
 * has left, which older versions have elsewhere, the readings are gone.
 */
function copiedOf(table: OwnTable): OwnTable[] {
  if (table.name === 'log') return [];
  if (table.name !== 'day_sums') return [table];
  const isKept = table.columns.includes('dropped_us');
  return isKept ? [{ ...table, condition: 'dropped_us is not null' }] : [];
}

function copyTo(
  backup: Connection,
  files: StoreFiles,
  migrationsFolder: string,
): string | undefined {
  const connections: Partial<Record<DatabaseName, Connection>> = {};
  try {
    for (const name of ['records', 'readings', 'registry'] as const) {
      const connection = openFile(files[name]);
      connections[name] = connection;
      // The first read of a database starts its snapshot.
      connection.exec('begin; select count(*) from sqlite_master');
    }

    for (const name of databaseNames) {
      const connection = connections[name];
      if (!connection) continue;

      const version = Number(connection.pragma('user_version', { simple: true }));
      const tables = addTables(backup, name, version, migrationsFolder);
      copyArchiveRows(connection, backup, tables.flatMap(copiedOf));

      // A backup has all readings in chunks: its reader needs no memory for a write buffer.
      if (tables.some((table) => table.name === 'log')) compactBuffer(connection, backup);
    }
    return readJournalFile(files.revocations);
  } finally {
    for (const connection of Object.values(connections)) {
      connection.close();
    }
  }
}

function compactBuffer(readings: Connection, backup: Connection): void {
  const memory = new BufferMemory();
  const chunks = new Chunks(backup, { hasDaySums: false });
  const bufferRows = readings.prepare<[], { id: number; body: Buffer }>(
    'select id, body from log order by id',
  );
  for (const { id, body } of bufferRows.iterate()) {
    remember(memory, id, body);
  }
  compactSeries({ buffer: { memory }, chunks }, Number.POSITIVE_INFINITY);
}

/** Refuses a file of the store at a path, since a backup in its place would destroy both. Throws `bad_input`. */
function requireElsewhere(target: string, storePath: string): void {
  const isStoreFile = translatingTarget(target, () => {
    const targetIdentity = identityOf(target);
    const storeFiles = [storePath, filesOf(storePath).restored].flatMap((store) =>
      possibleFiles(filesOf(store)),
    );
    return storeFiles.some((storeFile) => {
      if (resolve(storeFile) === target) return true;
      return targetIdentity !== undefined && identityOf(storeFile) === targetIdentity;
    });
  });
  if (!isStoreFile) return;

  throw new HkctlError(
    'bad_input',
    `${target} is a file of the store itself; nothing was written.`,
    {
      hint: 'Give another name, best on another disk.',
    },
  );
}

function identityOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}
