import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Store } from '../../core/port/store.ts';
import { alreadyThere } from '../engine/errors.ts';
import type { StoreOptions } from '../engine/options.ts';
import { type Database, databaseWithin } from './connection/database.ts';
import type { Session } from './connection/session.ts';
import { liftTimeLimits } from './connection/transaction.ts';
import { applyMigrations, lockMigrations } from './schema/migrations.ts';
import { readPlace, requireNotNewer } from './schema/schema-version.ts';
import { createPostgresStore } from './store.ts';

/** Refuses a schema that holds a store (`already_initialised`, exit 5) or tables of others (`store_corrupt`). */
export async function requireNoStore(session: Session): Promise<void> {
  const { version } = await readPlace(session);
  if (version === 0) {
    await requireNotNewer(session);
    return;
  }
  throw alreadyThere(session.location.shown, ', such as another ?schema=');
}

/** Creates the schema if it is missing, the tables, and what `fill` puts into them, all in one transaction. */
export async function createStore(
  database: Database,
  options: StoreOptions,
  fill: (store: Store) => MaybePromise<void> = () => {},
): Promise<void> {
  await database.transaction(
    async (session) => {
      await session.run(liftTimeLimits(session));
      // Before anything is read: of two processes that create a store at once, the second finds that of the first.
      await lockMigrations(session);
      await requireNoStore(session);
      await prepareSchema(session, options.migrationsFolder);
      const store = createPostgresStore(databaseWithin(session), options);
      // What is filled in is dated by the clock of the database.
      await store.keys.version();
      await fill(store);
    },
    { idleMs: 60_000 },
  );
}

/** Creates the schema if it is missing, and the tables of this version; those of an older one are migrated. */
export async function prepareSchema(session: Session, migrationsFolder: string): Promise<void> {
  const { schema } = session.location;
  await lockMigrations(session);
  // A schema that an administrator has made needs no right to make one.
  const there = await session.query('select from pg_namespace where nspname = $1', [schema]);
  if (there.length === 0) await session.run(`create schema "${schema}"`);
  await applyMigrations(session, migrationsFolder);
}
