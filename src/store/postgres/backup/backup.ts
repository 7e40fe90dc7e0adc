import { HkctlError } from '../../../core/errors.ts';
import type { BackupFacts } from '../../../core/operations/backups.ts';
import type { BackupRequest } from '../../../core/operations/engine.ts';
import { addTables } from '../../archive/format.ts';
import { createRowWriter, refusingRows } from '../../archive/rows.ts';
import { readStates } from '../../archive/states.ts';
import { missingLines } from '../../archive/stops.ts';
import { writeBackupFrom } from '../../archive/writing.ts';
import { ChunkWriter } from '../../sqlite-database/chunks/chunk-writer.ts';
import type { Connection } from '../../sqlite-database/driver.ts';
import { databaseNames, type OwnTable } from '../../sqlite-database/schema/migrated-schema.ts';
import { schemaVersions } from '../../sqlite-database/schema/schema-versions.ts';
import type { Database } from '../connection/database.ts';
import type { Session } from '../connection/session.ts';
import { toSeries } from '../readings/writer/series-numbers.ts';
import { readJournalText } from '../registry/journal.ts';
import { statementsOf } from '../registry/statements.ts';
import { readColumnTypes } from '../schema/column-types.ts';
import { requireNotNewer, requireSchemaVersion, sqliteVersions } from '../schema/schema-version.ts';
import { cursorRows } from './cursor-rows.ts';
import { queryFor } from './queries.ts';

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
export async function writeBackup(database: Database, target: string, options: WriteOptions): Promise<BackupFacts> {
  const { migrationsFolder, ofOlder = false, progress, ...request } = options;
  if (!ofOlder) await requireSchemaVersion(await database.session());
  const damaged = (what: string) => damagedStore(database.location.shown, what);
  const copyTo = (backup: Connection) =>
    database.transaction(
      async (session) => {
        // A restore empties the tables by TRUNCATE, also for a snapshot from before it. So the one that a restore locks first is
        // locked before the first query, which makes the snapshot.
        await session.run(`set transaction isolation level repeatable read, read only;
          set local cursor_tuple_fraction = 1; lock table record_entities in access share mode`);
        if (!ofOlder) await requireSchemaVersion(session);
        const version = await requireNotNewer(session);
        await copyTables(session, backup, { version, migrationsFolder }, damaged, () => progress?.(sizeOf(backup)));
        const journal = version < firstWithJournal ? '' : await readJournalText(session);
        return journal + missingLines(journal, await readStates(statementsOf(session)), request.nowMs).join('');
      },
      { idleMs: 0 },
    );
  return writeBackupFrom({ migrationsFolder, copyTo, damaged }, target, request);
}

type Damaged = (what: string) => HkctlError;

/** Before, the journal of a store in PostgreSQL was in its rows only. */
const firstWithJournal = 2;
function sizeOf(backup: Connection): number {
  const pragma = (name: string) => Number(backup.pragma(name, { simple: true }));
  return pragma('page_count') * pragma('page_size');
}

async function copyTables(
  session: Session,
  backup: Connection,
  { version, migrationsFolder }: { version: number; migrationsFolder: string },
  damaged: Damaged,
  copied: () => void,
): Promise<void> {
  const versions = sqliteVersions[version] ?? schemaVersions;
  const types = await readColumnTypes(session);
  const series = new SeriesNumbers();
  for (const name of databaseNames) {
    const tables = addTables(backup, name, versions[name], migrationsFolder);
    const putIndexesBack = takeIndexes(backup, tables);
    if (name === 'readings') await copySeries(session, backup, tables, series);
    for (const table of tables) {
      const found = queryFor(table, types, (entity, n) => series.find(entity, n, damaged));
      if (found === undefined || table.name === 'series') continue;
      const { query, toRow = (row) => row } = found;
      const writer = table.name === 'chunks' ? chunkRows(backup) : createRowWriter(backup, table);
      for await (const rows of cursorRows(session, query)) {
        refusing(table, damaged, () => {
          for (const row of rows) writer.write(toRow(row));
        });
        copied();
      }
      refusing(table, damaged, () => writer.end());
    }
    refusingRows(putIndexesBack, () => damaged('two of its rows have the same unique value'));
  }
  const [head] = await session.query<{ seq: number }>('backup.head', 'select last_seq as seq from audit_head');
  if (head)
    backup.prepare("update sqlite_sequence set seq = max(seq, cast(? as integer)) where name = 'audit'").run(head.seq);
}

/** Rows of readings in order of series and time, which a backup has in chunks. */
function chunkRows(backup: Connection) {
  const chunks = new ChunkWriter(backup);
  return {
    write: ([series, atUs, value, quality]: readonly unknown[]) =>
      chunks.put(Number(series), Number(atUs), Number(value), Number(quality)),
    end: () => chunks.end(),
  };
}

function refusing({ name }: OwnTable, damaged: Damaged, copy: () => void): void {
  try {
    refusingRows(copy, () => damaged(`${name} holds rows that its own schema forbids`));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw damaged(`${name} holds a text that is not JSON`);
    throw thrown;
  }
}

/** SQLite numbers series over all entities, PostgreSQL by entity. */
class SeriesNumbers {
  readonly #numbers = new Map<number, number>();

  add(entity: number, series: number): number {
    const next = this.#numbers.size + 1;
    this.#numbers.set(toSeries(entity, series), next);
    return next;
  }

  find(entity: number, series: number, damaged: Damaged): number {
    const found = this.#numbers.get(toSeries(entity, series));
    if (found === undefined) throw damaged('it holds readings of a sensor that it has no number for');
    return found;
  }
}

async function copySeries(
  session: Session,
  backup: Connection,
  tables: readonly OwnTable[],
  numbers: SeriesNumbers,
): Promise<void> {
  const table = tables.find(({ name }) => name === 'series');
  if (!table) throw new Error('a backup has no table of series');
  const writer = createRowWriter(backup, { name: 'series', columns: ['series', 'entity_id', 'sensor_id'] });
  const query = `select s.entity, s.series, e.entity_id, s.sensor_id from series s
    join record_entities e on e.number = s.entity order by 1, 2`;
  for await (const rows of cursorRows(session, query)) {
    for (const [entity, series, entityId, sensorId] of rows) {
      writer.write([numbers.add(Number(entity), Number(series)), entityId, sensorId]);
    }
  }
  writer.end();
}

/** Drops the indexes of all tables, which are faster made at the end, from sorted rows. Returns a function that does so. */
function takeIndexes(backup: Connection, tables: readonly OwnTable[]): () => void {
  const own = "select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name = ?";
  const ofTable = backup.prepare<[string], { name: string; sql: string }>(own);
  const indexes = tables.flatMap(({ name }) => ofTable.all(name));
  for (const { name } of indexes) backup.exec(`drop index "${name}"`);
  return () => {
    for (const { sql } of indexes) backup.exec(sql);
  };
}

function damagedStore(shown: string, what: string): HkctlError {
  return new HkctlError('store_corrupt', `The PostgreSQL store ${shown} is damaged: ${what}. No backup was written.`, {
    hint: 'Keep the last good backup; hkctl doctor and hkctl audit verify report more.',
  });
}
