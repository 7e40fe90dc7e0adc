import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { FileFacts, JournalFacts, StoreInspection } from '../../core/operations/doctor.ts';
import type { Connection } from './connection/driver.ts';
import { translating } from './connection/errors.ts';
import { type DatabaseName, databaseNames, filesOf, openFile } from './connection/files.ts';
import { readSmallFile } from './connection/safe-files.ts';
import { readJournalWords } from './journal/journal-lines.ts';
import { busyTimeoutMs } from './opening.ts';
import { foreignObjects } from './schema/own-schema.ts';
import { schemaVersions } from './schema/schema-versions.ts';

/** A damaged file has many faults; a few tell enough. */
const faultsAtMost = 10;

/** What the files of a store tell about themselves; each is opened for each look, so that one that is damaged hides no other. */
export function inspectStore(path: string, migrationsFolder: string): StoreInspection {
  const files = filesOf(resolve(path));
  const folder = dirname(files.registry);

  const looking = <T>(name: DatabaseName, look: (connection: Connection) => T): T => {
    const connection = openFile(files[name], { busyTimeoutMs, create: false });
    try {
      return translating(files[name], () => look(connection));
    } finally {
      connection.close();
    }
  };

  return {
    databases: databaseNames.map((name) => ({
      name,
      damage: () =>
        looking(name, (connection) => {
          const lines = connection.prepare<[], string>(`pragma quick_check(${faultsAtMost})`).pluck().all();
          return lines.filter((line) => line !== 'ok');
        }),
    })),
    files: () =>
      translating(folder, () => [
        factsOf(folder, 'folder'),
        ...[
          ...databaseNames.flatMap((name) => sidecars.map((end) => files[name] + end)),
          files.revocations,
          files.daemons,
        ]
          .filter((file) => existsSync(file))
          .map((file) => factsOf(file, 'file')),
      ]),
    brokenReferences: () =>
      looking('registry', (connection) =>
        connection
          .prepare<[], { table: string; rows: number }>(
            'select "table", count(*) as "rows" from pragma_foreign_key_check group by "table"',
          )
          .all(),
      ),
    versions: () =>
      databaseNames.map((database) => ({
        database,
        version: looking(database, (connection) => Number(connection.pragma('user_version', { simple: true }))),
        wanted: schemaVersions[database],
      })),
    foreign: () =>
      databaseNames.map((database) => ({
        database,
        what: looking(database, (connection) => {
          const version = Number(connection.pragma('user_version', { simple: true }));
          return foreignObjects(connection, database, version, migrationsFolder);
        }),
      })),
    journal: (nowMs) =>
      // A note is made before its commit: under the write lock none is without it.
      looking('registry', (connection) =>
        connection.transaction(() => readJournal(connection, files.revocations, nowMs)).immediate(),
      ),
    space() {
      const { bavail, blocks, bsize } = translating(folder, () => statfsSync(folder));
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    },
  };
}

const sidecars = ['', '-wal', '-shm'];

function factsOf(path: string, kind: FileFacts['kind']): FileFacts {
  const { mode, uid } = statSync(path);
  return { path, kind, mode: mode & 0o777, ownerId: uid };
}

function readJournal(connection: Connection, file: string, nowMs: number): JournalFacts {
  if (!existsSync(file)) return { isThere: false, revoked: 0, alive: [], torn: 0 };
  const { keys: revoked, torn } = readJournalWords(readSmallFile(file));
  const works = connection
    .prepare<[string, number], number>(
      'select 1 from keys where id = ? and revoked_at_ms is null and coalesce(expires_at_ms > ?, true)',
    )
    .pluck();
  const alive = [...revoked.keys()].filter((id) => works.get(id, nowMs) !== undefined);
  return { isThere: true, revoked: revoked.size, alive, torn };
}
