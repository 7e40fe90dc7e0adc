import { HkctlError } from '../../core/errors.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Store } from '../../core/port/store.ts';
import type { StoreOptions } from '../engine.ts';
import { alreadyThere } from '../refusals.ts';
import type { Location } from './address/location.ts';
import type { Database } from './connection/database.ts';
import { databaseWithin } from './connection/database-within.ts';
import type { Session } from './connection/session.ts';
import { liftTimeLimits } from './connection/time-limits.ts';
import { creatorsSql } from './schema/foreign-objects.ts';
import { applyMigrations, lockMigrations } from './schema/migrations.ts';
import { readPlace, requireNotNewer } from './schema/schema-version.ts';
import { PostgresStore } from './store.ts';

/** Refuses a schema that holds a store (`already_initialised`, exit 5) or tables of others (`store_corrupt`). */
export async function requireNoStore(session: Session, shown: string): Promise<void> {
  const { version } = await readPlace(session);
  if (version === 0) {
    await requireNotNewer(session, shown);
    return;
  }
  throw alreadyThere(shown, ', such as another ?schema=');
}

/** Creates the schema where it is missing, the tables, and what `fill` puts into them, all in one transaction. */
export async function createStore(
  database: Database,
  options: StoreOptions,
  fill: (store: Store) => MaybePromise<void> = () => {},
): Promise<void> {
  const { location } = database;
  await database.transaction(
    async (session) => {
      await session.run(liftTimeLimits(session));
      // Before anything is read: of two processes that create a store at once, the second finds that of the first.
      await lockMigrations(session);
      await requireNoStore(session, location.shown);
      await prepareSchema(session, location, options.migrationsFolder);
      await fill(new PostgresStore(databaseWithin(session, location), options));
    },
    { idleMs: 60_000 },
  );
}

/** Creates the schema where it is missing, and the tables of this version; those of an older one are migrated. */
export async function prepareSchema(session: Session, location: Location, migrationsFolder: string): Promise<void> {
  await lockMigrations(session);
  // A schema that an administrator has made needs no right to make one.
  const there = await session.query('schema.named', 'select from pg_namespace where nspname = $1', [location.schema]);
  if (there.length === 0) await session.run(`create schema "${location.schema}"`);
  else await requireOwnCreators(session, location);
  await applyMigrations(session, migrationsFolder, location.shown);
}

interface Creator {
  name: string;
  /** The name as SQL writes it, and that of this log-in. */
  quoted: string;
  own: string;
  /** Whether the schema belongs to it, whatever is revoked. */
  owns: boolean;
}

/** A role that may create functions in the schema could have them run with the rights of this log-in. */
async function requireOwnCreators(session: Session, { shown, schema }: Location): Promise<void> {
  const creators = await session.query<Creator>('schema.creators', creatorsSql);
  if (creators.length === 0) return;
  const named = creators.map(({ name }) => name).join(', ');
  throw new HkctlError(
    'store_unreadable',
    `Others may create functions in the schema of ${shown}, which would run with the rights of this log-in: ${named}.`,
    { hint: `A superuser or the owner of the schema ends that with: ${endingOf(creators, schema).join('; ')}` },
  );
}

/** The SQL after which nobody else may create functions in a schema. */
function endingOf(creators: readonly Creator[], schema: string): string[] {
  const owner = creators.find(({ owns }) => owns);
  const granted = creators.filter(({ owns }) => !owns).map(({ quoted }) => quoted);
  return [
    ...(owner ? [`ALTER SCHEMA ${schema} OWNER TO ${owner.own}`] : []),
    ...(granted.length > 0 ? [`REVOKE CREATE ON SCHEMA ${schema} FROM ${granted.join(', ')}`] : []),
  ];
}
