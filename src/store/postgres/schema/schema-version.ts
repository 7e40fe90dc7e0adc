import { HkctlError } from '../../../core/errors.ts';
import { storeAbsent, storeTooNew, storeTooOld } from '../../refusals.ts';
import type { DatabaseName } from '../../sqlite/connection/files.ts';
import type { Session } from '../connection/session.ts';
import { queryUnlimited } from '../connection/time-limits.ts';
import { placeSql } from './foreign-objects.ts';

/** Number of migrations in this version of hkctl. A test compares it with the folder. */
export const schemaVersion = 3;

/**
 * The versions of SQLite's databases that hold the same as each version of this schema. A backup of an older store has them, so
 * that the hkctl that made the store can restore it.
 */
export const sqliteVersions: Readonly<Record<number, Record<DatabaseName, number>>> = {
  1: { registry: 2, records: 2, readings: 2 },
  2: { registry: 2, records: 2, readings: 2 },
  3: { registry: 3, records: 2, readings: 3 },
};

/** What is at the place of a store. */
interface Place {
  /** The version of the store; 0 where there is none, or where something foreign could stand in for it. */
  version: number;
  /** How many tables and views the schema has. */
  tables: number;
  /** Triggers, functions and the like of others, in words. */
  foreign: readonly string[];
}

/** Throws `store_absent`, `store_too_old`, `store_too_new` or `store_corrupt` where there is no store of this version. */
export async function requireSchemaVersion(session: Session, shown: string): Promise<void> {
  const { version, tables, foreign } = await readPlace(session);
  if (tables === 0) throw storeAbsent(shown);
  requireOwn(foreign, shown);
  if (version === 0) throw strange(shown);
  requireKnown(version, shown);
  if (version < schemaVersion) throw storeTooOld(shown, version, 'the daemons');
}

/** The version of the store, 0 for none yet; `store_too_new` for a newer one, `store_corrupt` for tables of others. */
export async function requireNotNewer(session: Session, shown: string): Promise<number> {
  const { version, tables, foreign } = await readPlace(session);
  requireOwn(foreign, shown);
  if (version === 0 && tables > 0) throw strange(shown);
  requireKnown(version, shown);
  return version;
}

/**
 * Reads what is in the schema of the search path. PostgreSQL leaves a schema that the log-in may not use out of that path: by
 * name it is refused instead of not found.
 */
export async function readPlace(session: Session): Promise<Place> {
  // It reads many catalogs, and a short limit of the log-in is meant for what runs often.
  const [found] = await queryUnlimited<FoundPlace>(session, placeSql);
  const { schema = '', tables = 0, isStore = false, foreign = [] } = found ?? {};
  // What looks like our table may be a view that runs something.
  if (!isStore || foreign.length > 0) return { version: 0, tables, foreign };
  const [row] = await queryUnlimited<{ version: number }>(session, `select version from "${schema}".store_version`);
  return { version: row?.version ?? 0, tables, foreign };
}

interface FoundPlace {
  schema: string;
  tables: number;
  isStore: boolean;
  foreign: string[];
}

/** As in SQLite, something foreign would run within hkctl's own statements, with the rights of its log-in. */
function requireOwn(foreign: readonly string[], shown: string): void {
  if (foreign.length === 0) return;
  const more = foreign.length > mostNamed ? `; and ${foreign.length - mostNamed} more` : '';
  throw new HkctlError(
    'store_corrupt',
    `The schema of the store ${shown} was changed from outside: ${foreign.slice(0, mostNamed).join('; ')}${more}.`,
    {
      hint: 'None of it was executed. Have the owner of the schema remove it, or move it to another schema.',
    },
  );
}

const mostNamed = 5;

function requireKnown(version: number, shown: string): void {
  if (version > schemaVersion) throw storeTooNew(shown, version);
}

function strange(shown: string): HkctlError {
  return new HkctlError('store_corrupt', `The schema of ${shown} holds tables, but not those of a store of hkctl.`, {
    hint: 'Name another schema with ?schema=NAME in the address, or another database.',
  });
}
