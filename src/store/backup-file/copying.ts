import { clockMarks } from '../shared/registry/clock.ts';
import { lastBackupMark, outboxMark } from '../shared/registry/marks.ts';
import { allDaysWait } from '../sqlite-file/chunks/day-sums.ts';
import { type Connection, openDatabase } from '../sqlite-file/driver.ts';
import {
  type DatabaseName,
  databaseNames,
  makeTables,
  migratedSchema,
  upgradeTables,
} from '../sqlite-file/schema/migrated-schema.ts';
import { schemaVersions } from '../sqlite-file/schema/schema-versions.ts';
import type { OpenBackup } from './format.ts';
import { copyArchiveRows, isOfRow } from './rows.ts';

/** A database to be made from a backup. */
interface DatabaseCopy {
  name: DatabaseName;
  migrationsFolder: string;
  without?: ReadonlySet<string>;
  /** Receives the number of rows since its last call. */
  copied?(rows: number): void;
}

/** Makes one database of this version: our own tables, and the rows of the backup. The sums of days whose readings are there are made anew. */
export function copyDatabase(
  { connection: source, versions, damaged }: OpenBackup,
  target: Connection,
  request: DatabaseCopy,
): void {
  const { name, migrationsFolder, without = new Set() } = request;
  const version = versions[name];
  makeTables(target, name, version, migrationsFolder);
  const { tables } = migratedSchema(name, version, migrationsFolder);
  const copiedTables = tables.filter((table) => !without.has(table.name));

  try {
    copyArchiveRows(source, target, copiedTables, request.copied);
  } catch (thrown) {
    throw isOfRow(thrown) ? damaged(`it holds rows that its own tables forbid (${name})`) : thrown;
  }
  upgradeTables(target, name, version, migrationsFolder);
  if (name === 'readings') target.exec(allDaysWait);
}

/** A backup whose tables have this version, of which an older backup is copied; the caller closes it. */
export function openCurrent(
  backup: OpenBackup,
  copy: Pick<DatabaseCopy, 'migrationsFolder'>,
): Connection {
  const isCurrent = databaseNames.every((name) => backup.versions[name] === schemaVersions[name]);
  if (isCurrent) return backup.connection;

  // Without a name, SQLite keeps the database in a file that is gone when the process ends, however it ends.
  const currentCopy = openDatabase('', {});
  try {
    currentCopy.exec(
      'pragma journal_mode = memory; pragma synchronous = off; pragma foreign_keys = off; begin',
    );
    for (const name of databaseNames) copyDatabase(backup, currentCopy, { name, ...copy });
    currentCopy.exec('commit');
    return currentCopy;
  } catch (thrown) {
    currentCopy.close();
    throw thrown;
  }
}

interface Mark {
  name: string;
  value: number;
}

/** The marks that a restore takes: any other counts rows of a table that starts anew, or is of one machine. */
export function carriedMarks(backup: Connection): Mark[] {
  return backup
    .prepare<[string, string, string], Mark>(
      `select name, value from marks where name = ?
        union all select * from (
          select ?, at_ms from audit
            where action = ? and outcome = 'done'
            order by seq desc limit 1)`,
    )
    .all(clockMarks.seenMs, lastBackupMark, 'store.backup');
}

/** Events of imports, as JSON, in a backup that were not moved into the trail yet. */
export function waitingDrafts(backup: Connection): string[] {
  const lastMoved =
    backup
      .prepare<[string], number>('select value from marks where name = ?')
      .pluck()
      .get(outboxMark) ?? 0;
  return backup
    .prepare<[number], string>('select draft from audit_outbox where id > ? order by id')
    .pluck()
    .all(lastMoved);
}
