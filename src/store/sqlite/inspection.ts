import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { FileFacts, JournalFacts, StoreInspection } from '../../core/operations/inspection.ts';
import { readJournal } from '../shared/revocation-journal.ts';
import { faultsOfChunks, faultsOfDaySums } from '../sqlite-file/chunks/verification.ts';
import { type Connection, withConnection } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import {
  differences,
  foreignTables,
  migratedSchema,
  type SchemaObject,
  schemaObjectsIn,
} from '../sqlite-file/schema/migrated-schema.ts';
import {
  type DatabaseName,
  databaseNames,
  firstWithDaySums,
  schemaVersions,
} from '../sqlite-file/schema/schema-versions.ts';
import { filesOf, openFile, possibleFiles, sizeOf } from './connection/files.ts';
import { Reserve } from './connection/reserve.ts';
import { readRow } from './readings/write-buffer/rows.ts';
import { readJournalFile } from './registry/revocation-journal.ts';

/** A damaged file has many faults; a few are enough to report. */
const faultsAtMost = 10;

/** The checks of a store's files. Each check opens its file anew, so that a damaged file hides no other. */
export function inspectStore(path: string, migrationsFolder: string): StoreInspection {
  const files = filesOf(resolve(path));
  const folder = dirname(files.registry);

  const checking = <T>(name: DatabaseName, check: (connection: Connection) => T): T =>
    withConnection(openFile(files[name]), (connection) =>
      translating(files[name], () => check(connection)),
    );

  const existingFiles = () => possibleFiles(files).filter((file) => existsSync(file));

  return {
    databases: databaseNames.map((name) => ({
      name,
      damage: () =>
        checking(name, (connection) => {
          const lines = connection
            .prepare<[], string>(`pragma quick_check(${faultsAtMost})`)
            .pluck()
            .all();
          const faults = lines.filter((line) => line !== 'ok');
          return name === 'readings' && faults.length === 0 ? faultsOfReadings(connection) : faults;
        }),
    })),
    files: () =>
      translating(folder, () => [
        factsOf(folder, 'folder'),
        ...existingFiles().map((file) => factsOf(file, 'file')),
      ]),
    brokenReferences: () =>
      checking('registry', (connection) =>
        connection
          .prepare<[], { table: string; rows: number }>(
            'select "table", count(*) as "rows" from pragma_foreign_key_check group by "table"',
          )
          .all(),
      ),
    versions: () =>
      databaseNames.map((database) => ({
        database,
        version: checking(database, (connection) =>
          Number(connection.pragma('user_version', { simple: true })),
        ),
        wanted: schemaVersions[database],
      })),
    foreign: () =>
      databaseNames.map((database) =>
        checking(database, (connection) => {
          const version = Number(connection.pragma('user_version', { simple: true }));
          const expected = migratedSchema(database, version, migrationsFolder).objects;
          const objects = schemaObjectsIn(connection);
          const tables = foreignTables(objects, expected);

          const isOfForeignTable = ({ type, table }: SchemaObject) =>
            (type === 'table' || type === 'index') && tables.includes(String(table));
          const otherObjects = objects.filter((object) => !isOfForeignTable(object));
          return { database, tables, differences: differences(otherObjects, expected) };
        }),
      ),
    journal: (nowMs) =>
      // An entry is written before its commit; under the write lock every entry has its commit.
      checking('registry', (connection) =>
        connection
          .transaction(() => journalFacts(connection, files.revocations, nowMs))
          .immediate(),
      ),
    space() {
      const { bavail, blocks, bsize } = translating(folder, () => statfsSync(folder));
      const hasReserve = translating(folder, () =>
        new Reserve(files.reserve, files.registry).isWhole(),
      );
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, hasReserve };
    },
    sizeBytes: () =>
      translating(folder, () => existingFiles().reduce((sum, file) => sum + sizeOf(file), 0)),
  };
}

/** Damage that SQLite itself cannot see, since it is inside of values. */
function faultsOfReadings(connection: Connection): string[] {
  const version = Number(connection.pragma('user_version', { simple: true }));
  const faults = firstOf(faultsOfChunks(connection));
  if (version >= firstWithDaySums && faults.length === 0)
    faults.push(...firstOf(faultsOfDaySums(connection)));
  const writeBuffer = connection.prepare<[], { id: number; body: Buffer }>(
    'select id, body from log order by id',
  );
  for (const { id, body } of writeBuffer.iterate())
    if (!isReadable(body)) faults.push(`row ${id} of the write buffer of readings`);
  return faults.slice(0, faultsAtMost);
}

function firstOf(faults: Iterable<string>): string[] {
  const first: string[] = [];
  for (const fault of faults) if (first.push(fault) === faultsAtMost) break;
  return first;
}

function isReadable(body: Buffer): boolean {
  try {
    readRow(body, { reading() {}, removal() {} });
    return true;
  } catch {
    return false;
  }
}

function factsOf(path: string, kind: FileFacts['kind']): FileFacts {
  const { mode, uid } = statSync(path);
  return { path, kind, mode: mode & 0o777, ownerId: uid };
}

function journalFacts(connection: Connection, file: string, nowMs: number): JournalFacts {
  const text = readJournalFile(file);
  if (text === undefined) return { isThere: false, revoked: 0, alive: [], torn: 0 };
  const { events, torn } = readJournal(text);
  const revoked = [...events].flatMap(([id, { event }]) => (event === 'revoked' ? [id] : []));
  const isActive = connection
    .prepare<[string, number], number>(
      'select 1 from keys where id = ? and revoked_at_ms is null and coalesce(expires_at_ms > ?, true)',
    )
    .pluck();
  const alive = revoked.filter((id) => isActive.get(id, nowMs) !== undefined);
  return { isThere: true, revoked: revoked.length, alive, torn };
}
