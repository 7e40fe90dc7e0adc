import { renameSync, rmSync } from 'node:fs';
import { copyArchiveRows } from '../../../src/store/backup-file/rows.ts';
import { filesOf, openFile } from '../../../src/store/sqlite/connection/files.ts';
import { StoredReadings } from '../../../src/store/sqlite/readings/stored.ts';
import {
  makeTables,
  migratedSchema,
} from '../../../src/store/sqlite-file/schema/migrated-schema.ts';

const migrationsFolder = 'migrations';
/** The last version of the readings that had a row for each. */
const version = 2;

/** Makes the readings of a store those of the version before this one; returns how many there are. */
export function makeOlder(path: string): number {
  const { readings } = filesOf(path);
  const now = openFile(readings);
  const file = `${readings}.older`;
  const older = openFile(file, { create: true });
  makeTables(older, 'readings', version, migrationsFolder);
  older.pragma(`user_version = ${version}`);
  const { tables } = migratedSchema('readings', version, migrationsFolder);
  const others = tables.filter(({ name }) => name !== 'readings');
  copyArchiveRows(now, older, others);
  const put = older.prepare(
    'insert into readings (series, at_us, value, quality) values (?, ?, ?, ?)',
  );
  const stored = new StoredReadings(now);
  const numbers = now.prepare<[], number>('select series from series').pluck().all();
  let count = 0;
  older.transaction(() => {
    stored.reading(() => {
      for (const series of numbers) {
        for (const { columns, from, to } of stored.read(
          series,
          Number.NEGATIVE_INFINITY,
          Number.POSITIVE_INFINITY,
        )) {
          for (let place = from; place < to; place++, count++) {
            put.run(series, columns.atUs[place], columns.values[place], columns.qualities[place]);
          }
        }
      }
    });
  })();
  now.close();
  older.close();
  for (const end of ['', '-wal', '-shm']) rmSync(readings + end, { force: true });
  renameSync(file, readings);
  return count;
}
