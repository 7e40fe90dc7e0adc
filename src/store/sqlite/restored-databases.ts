import type { RestoreHooks } from '../../core/operations/backups.ts';
import { carriedMarks, copyDatabase, waitingDrafts } from '../backup-file/copying.ts';
import type { OpenBackup } from '../backup-file/format.ts';
import type { ReceivedBackup } from '../backup-file/restoring.ts';
import { createPrivate, syncFile } from '../backup-file/rows.ts';
import { type Connection, withConnection } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import {
  type DatabaseName,
  databaseNames,
  migratedSchema,
} from '../sqlite-file/schema/migrated-schema.ts';
import { schemaVersions } from '../sqlite-file/schema/schema-versions.ts';
import { allowShorterFile, type StoreFiles } from './connection/files.ts';
import { beginTimeline } from './records/imports.ts';

export function makeDatabases(
  files: StoreFiles,
  backup: ReceivedBackup,
  migrationsFolder: string,
  progress: RestoreHooks['progress'],
): void {
  const { shown } = backup;
  const total = translating(shown, () => rowsIn(backup, migrationsFolder));
  let done = 0;
  const copied = (rows: number) => {
    done += rows;
    progress?.(Math.min(1, done / total));
  };
  for (const name of databaseNames) {
    translating(files[name], () => {
      withConnection(createPrivate(files[name]), (connection) => {
        if (name === 'readings') allowShorterFile(connection);
        connection.exec('begin');
        copyDatabase(backup, connection, {
          name,
          migrationsFolder,
          without: startedAnew,
          copied,
        });
        addOwnRows(connection, name, backup.connection);
        connection.pragma(`user_version = ${schemaVersions[name]}`);
        connection.exec('commit');
        // A property of the file, which those who open it expect.
        connection.pragma('journal_mode = wal');
      });
      syncFile(files[name]);
    });
  }
}

const startedAnew: ReadonlySet<string> = new Set([
  'marks',
  'daemons',
  'audit_outbox',
  'record_epoch',
]);

function addOwnRows(to: Connection, name: DatabaseName, backup: Connection): void {
  if (name === 'registry') {
    const put = to.prepare<[string, number]>('insert into marks (name, value) values (?, ?)');
    for (const { name, value } of carriedMarks(backup)) put.run(name, value);
  } else if (name === 'records') {
    const put = to.prepare<[string]>('insert into audit_outbox (draft) values (?)');
    for (const draft of waitingDrafts(backup)) put.run(draft);
    // Ends sync tokens: mirrors have followed the store that is replaced, and what they have seen since the backup may be undone.
    beginTimeline(to);
  }
}

function rowsIn({ connection, versions }: OpenBackup, migrationsFolder: string): number {
  const tables = databaseNames.flatMap(
    (name) => migratedSchema(name, versions[name], migrationsFolder).tables,
  );
  const countOf = ({ name }: { name: string }) =>
    Number(connection.prepare(`select count(*) from "${name}"`).pluck().get());
  return tables.reduce((sum, table) => sum + countOf(table), 0);
}
