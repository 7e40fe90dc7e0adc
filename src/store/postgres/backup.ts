import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupTarget, WrittenBackup } from '../../core/operations/backups.ts';
import type { BackupRequest } from '../../core/operations/engine.ts';
import { createReadings } from '../../core/readings/series-readings.ts';
import { createRowWriter } from '../backup-file/copying.ts';
import { addTables } from '../backup-file/format.ts';
import { makePrivateFolder } from '../backup-file/target.ts';
import { writeBackupFrom } from '../backup-file/writing.ts';
import { Chunks, usualSizes } from '../sqlite-file/chunks/chunks.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { dropIndexes } from '../sqlite-file/schema/migrated-schema.ts';
import { databaseNames, schemaVersions } from '../sqlite-file/schema/schema-versions.ts';
import { queryFor, type Row, readColumnTypes } from './backup/queries.ts';
import type { Database } from './connection/database.ts';
import type { PostgresSession } from './connection/session.ts';
import { readJournalText } from './registry/statements.ts';
import {
  requireKnownVersion,
  requireSchemaVersion,
  sqliteVersions,
} from './schema/schema-version.ts';

/** How a backup is written. */
interface WriteOptions extends BackupRequest {
  migrationsFolder: string;
  /** Also backs up a store of an older version, for a migration. */
  ofOlder?: boolean;
}

/**
 * Writes all of a store into one file, the same as a backup of SQLite, from one snapshot, while others read and write it.
 * Throws `state_forbids` if the file exists and `force` is false.
 */
export async function writeBackup(
  database: Database,
  target: BackupTarget,
  options: WriteOptions,
): Promise<WrittenBackup> {
  const { migrationsFolder, ofOlder = false, progress, ...request } = options;
  if (!ofOlder) await database.exclusively(requireSchemaVersion);
  const copyTo = (backup: Connection) =>
    database.transaction(
      async (session) => {
        // A restore empties the tables by TRUNCATE, also for a snapshot from before it. The first query makes the snapshot:
        // before it, this locks the table that a restore locks first.
        await session.run(`set transaction isolation level repeatable read, read only;
          set local cursor_tuple_fraction = 1; lock table record_entities in access share mode`);
        if (!ofOlder) await requireSchemaVersion(session);
        const version = await requireKnownVersion(session);
        await copyTables(session, backup, { version, migrationsFolder }, () =>
          progress?.(sizeOf(backup)),
        );

        return readJournalText(session);
      },
      { idleMs: 0 },
    );

  const shown = `The PostgreSQL store ${database.location.shown}`;
  const folder = makePrivateFolder(request.nowMs);
  try {
    const source = { migrationsFolder, copyTo, shown, workPath: join(folder, 'hkctl') };
    return await writeBackupFrom(source, target, request);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sizeOf(backup: Connection): number {
  const pageCount = Number(backup.pragma('page_count', { simple: true }));
  const pageSize = Number(backup.pragma('page_size', { simple: true }));
  return pageCount * pageSize;
}

async function copyTables(
  session: PostgresSession,
  backup: Connection,
  { version, migrationsFolder }: { version: number; migrationsFolder: string },
  onCopied: () => void,
): Promise<void> {
  const versions = sqliteVersions[version] ?? schemaVersions;
  const columnTypes = await readColumnTypes(session);
  const seriesNumbers = new Map<number, number>();
  for (const databaseName of databaseNames) {
    const tables = addTables(backup, databaseName, versions[databaseName], migrationsFolder);
    // Chunks are few, and their index finds them.
    const indexes = tables.flatMap(({ name }) =>
      name === 'chunks' ? [] : dropIndexes(backup, name),
    );
    // Series get their numbers first.
    const seriesFirst = [
      ...tables.filter((table) => table.name === 'series'),
      ...tables.filter((table) => table.name !== 'series'),
    ];
    for (const table of seriesFirst) {
      const tableQuery = queryFor(table, columnTypes, seriesNumbers);
      if (tableQuery === undefined) continue;
      const { query, toRow = (row: Row) => row } = tableQuery;

      const isChunks = table.name === 'chunks';
      const writer = isChunks ? chunkRows(backup) : createRowWriter(backup, table);
      for await (const fetchedRows of cursorRows(session, query)) {
        for (const fetchedRow of fetchedRows) {
          const row = toRow(fetchedRow);
          if (row) writer.write(row);
        }
        onCopied();
      }
      writer.end();
    }

    for (const indexSql of indexes) backup.exec(indexSql);
  }

  const [auditHead] = await session.query<{ seq: number }>(
    'select last_seq as seq from audit_head',
  );
  if (!auditHead) return;
  backup
    .prepare("update sqlite_sequence set seq = max(seq, cast(? as integer)) where name = 'audit'")
    .run(auditHead.seq);
}

/** Rows of readings in order of series and time, which a backup has in chunks. */
function chunkRows(backup: Connection) {
  const chunks = new Chunks(backup, { hasDaySums: false });
  const readings = createReadings(usualSizes.full);
  let currentSeries: unknown;
  const endChunk = () => {
    chunks.add(Number(currentSeries), readings);
    readings.count = 0;
  };
  return {
    write([series, atUs, value, quality]: readonly unknown[]) {
      if (readings.count === usualSizes.full || series !== currentSeries) endChunk();
      currentSeries = series;
      readings.atUs[readings.count] = Number(atUs);
      readings.values[readings.count] = Number(value);
      readings.qualities[readings.count++] = Number(quality);
    },
    end: endChunk,
  };
}

/** Rows of a piece; two pieces are in memory at once. */
const rowsPerFetch = 5000;

/**
 * The rows of a query inside the transaction of a session, fetched piece by piece: the next piece is on its way while the
 * caller works on one.
 */
async function* cursorRows(session: PostgresSession, query: string): AsyncGenerator<Row[]> {
  await session.run(`declare backup_rows no scroll cursor for ${query}`);
  const fetchPiece = () => {
    const piece = session.send<unknown[]>({
      text: `fetch ${rowsPerFetch} from backup_rows`,
      rowMode: 'array',
    });
    // If it fails before it is awaited, the error is reported then.
    void Promise.allSettled([piece]);
    return piece;
  };
  for (let piece = fetchPiece(); ; ) {
    const { rows } = await piece;
    if (rows.length === 0) break;
    piece = fetchPiece();
    yield rows;
  }
  await session.run('close backup_rows');
}
