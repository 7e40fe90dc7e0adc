import { HkctlError } from '../../../core/errors.ts';
import { storeAbsent, storeTooNew, storeTooOld, storeUnreleased } from '../../shared/errors.ts';
import type { DatabaseName } from '../../sqlite-file/schema/schema-versions.ts';
import type { PostgresSession } from '../connection/session.ts';
import { asOfDriver } from '../errors/errors.ts';

/** Kept in the table `store_version`. A test compares it with the number of migrations. */
export const schemaVersion = 12;

/** The version that the first migration makes; the versions before it were never released. */
export const initialVersion = 3;

/** The version that has sums of days, next to the hourly summaries of 0.2.0, which the next version has no more. */
export const firstWithDaySums = 11;

/**
 * The versions of SQLite's databases that hold the same as each version of this schema. A backup of an older store has them, so
 * that the hkctl that made the store can restore it.
 */
export const sqliteVersions: Readonly<Record<number, Record<DatabaseName, number>>> = {
  3: { registry: 3, records: 2, readings: 3 },
  4: { registry: 4, records: 2, readings: 4 },
  5: { registry: 4, records: 3, readings: 4 },
  6: { registry: 5, records: 3, readings: 4 },
  7: { registry: 5, records: 3, readings: 5 },
  8: { registry: 6, records: 3, readings: 5 },
  9: { registry: 7, records: 3, readings: 5 },
  10: { registry: 7, records: 3, readings: 5 },
  11: { registry: 7, records: 3, readings: 6 },
  12: { registry: 7, records: 3, readings: 6 },
};

interface Place {
  /** The version of the store; 0 if there is none. */
  version: number;
  tables: number;
}

/** Throws `store_absent`, `store_too_old`, `store_too_new` or `store_corrupt` if there is no store of this version. */
export async function requireSchemaVersion(session: PostgresSession): Promise<void> {
  const version = await requireKnownVersion(session);
  const { shown } = session.location;
  if (version === 0) throw storeAbsent(shown);
  if (version < schemaVersion) throw storeTooOld(shown, version, 'the daemons');
}

/**
 * The version of the store, 0 for none yet; `store_too_new` for a newer one, `store_too_old` for one of before the first release,
 * `store_corrupt` for tables of another program.
 */
export async function requireKnownVersion(session: PostgresSession): Promise<number> {
  const { version, tables } = await readPlace(session);
  const { shown } = session.location;
  if (version > schemaVersion) throw storeTooNew(shown, version);
  if (version > 0 && version < initialVersion) throw storeUnreleased(shown, version);
  if (version > 0 || tables === 0) return version;
  throw new HkctlError(
    'store_corrupt',
    `The schema of ${shown} holds tables, but not those of a store of hkctl.`,
    {
      hint: 'Name another schema with ?schema=NAME in the address, or another database.',
    },
  );
}

/** Reads what is in the schema. Throws `store_unreadable` if a pooler has changed the connection, and with it the search path. */
export async function readPlace(session: PostgresSession): Promise<Place> {
  const { schema } = session.location;
  const [foundPlace] = await session.query<Found>(placeSql, [schema]);
  if (foundPlace?.path !== `"${schema}"`) throw session.translate(asOfDriver('OTHER_SESSION'));
  if (!foundPlace.isStore) return { version: 0, tables: foundPlace.tables };
  const [row] = await session.query<{ version: number }>(
    `select version from "${schema}".store_version`,
  );
  return { version: row?.version ?? 0, tables: foundPlace.tables };
}

interface Found {
  path: string;
  tables: number;
  isStore: boolean;
}

const placeSql = `select current_setting('search_path') as path, count(*)::int4 as tables,
    coalesce(bool_or(relname = 'store_version'), false) as "isStore"
  from pg_class c join pg_namespace n on n.oid = relnamespace
  where nspname = $1 and relkind in ('r', 'p', 'v', 'm', 'f')
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')`;
