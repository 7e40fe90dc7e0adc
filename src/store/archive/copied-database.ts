import type { Connection } from '../sqlite/connection/driver.ts';
import type { DatabaseName } from '../sqlite/connection/files.ts';
import { makeTables, migratedSchema } from '../sqlite/schema/migrated-schema.ts';
import { rowsToChunks } from '../sqlite/schema/rows-to-chunks.ts';
import { firstWithChunks } from '../sqlite/schema/schema-versions.ts';
import { damagedBackup, type OpenBackup } from './format.ts';
import { copyRead, refusingRows } from './rows.ts';

/** A database to be made from a backup. */
interface DatabaseCopy {
  name: DatabaseName;
  /** The path of the backup. */
  file: string;
  migrationsFolder: string;
  /** Receives the number of rows since its last call. */
  copied?(rows: number): void;
}

/**
 * Creates the tables of one database from our own migrations, in the version of the backup, and copies its rows. Readings of an older
 * backup, a row each, become chunks. Returns the version of the tables.
 */
export function copyDatabase(
  { connection: from, versions }: OpenBackup,
  to: Connection,
  { name, file, migrationsFolder, copied = () => {} }: DatabaseCopy,
): number {
  const hasRows = name === 'readings' && versions[name] < firstWithChunks;
  const version = hasRows ? firstWithChunks : versions[name];
  makeTables(to, name, version, migrationsFolder);
  const { tables } = migratedSchema(name, versions[name], migrationsFolder);
  refusingRows(
    () => {
      copyRead(from, to, hasRows ? tables.filter((table) => table.name !== 'readings') : tables, copied);
      if (hasRows) for (const { count } of rowsToChunks({ from, rows: 'readings', to })) copied(count);
    },
    () => damagedBackup(file, `it holds rows that its own tables forbid (${name})`),
  );
  return version;
}
