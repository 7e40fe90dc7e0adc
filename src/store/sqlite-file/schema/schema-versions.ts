import { HkctlError } from '../../../core/errors.ts';
import { storeTooNew, storeTooOld, storeUnreleased } from '../../shared/errors.ts';
import type { Connection } from '../driver.ts';
import { translating } from '../errors.ts';

export const databaseNames = ['registry', 'records', 'readings'] as const;
export type DatabaseName = (typeof databaseNames)[number];

/** The version that the first migration of a database makes; the versions before it were never released. */
export const initialVersions: Record<DatabaseName, number> = {
  registry: 3,
  records: 2,
  readings: 3,
};

/** Kept in the `user_version` of each database: opening a store need not read the migrations. A test compares both. */
export const schemaVersions: Record<DatabaseName, number> = {
  registry: 7,
  records: 3,
  readings: 6,
};

/** The first version of the readings whose sums of days are those of now. */
export const firstWithDaySums = 6;

/** `store_too_old` or `store_too_new` (exit 6) if a database is not of this version. */
export function requireSchemaVersion(
  connection: Connection,
  name: DatabaseName,
  path: string,
): void {
  const version = requireKnownVersion(connection, name, path);
  if (version !== schemaVersions[name]) throw storeTooOld(path, version, 'the daemon');
}

/**
 * The version of a database that this hkctl can migrate, 0 for one without tables; `store_too_new` for a newer one, and
 * `store_too_old` for one of before the first release (exit 6).
 */
export function requireKnownVersion(
  connection: Connection,
  name: DatabaseName,
  path: string,
  version = readSchemaVersion(connection, path),
): number {
  if (version > schemaVersions[name]) throw storeTooNew(path, version);
  if (version > 0 && version < initialVersions[name]) throw storeUnreleased(path, version);
  return version;
}

function readSchemaVersion(connection: Connection, path: string): number {
  return Number(translating(path, () => connection.pragma('user_version', { simple: true })));
}

/** Whether nothing was ever committed to a database, as after an interrupted `init`. `store_corrupt` for a foreign one. */
export function isEmpty(connection: Connection, path: string): boolean {
  // In one statement: another process may finish a store between two.
  const { version, tables } = translating(path, () =>
    connection
      .prepare<[], { version: number; tables: number }>(
        'select (select user_version from pragma_user_version) as version, (select count(*) from sqlite_master) as tables',
      )
      .get(),
  ) ?? { version: 0, tables: 0 };
  if (version > 0) return false;
  if (tables === 0) return true;
  throw new HkctlError('store_corrupt', `${path} is a database, but not one of hkctl.`, {
    hint: 'Name the store with --store PATH or HKCTL_STORE.',
  });
}
