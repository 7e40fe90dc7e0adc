import { resolve } from 'node:path';
import type { MigrationOutcome, MigrationRequest } from '../../core/operations/engine.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Store } from '../../core/port/store.ts';
import { dayUs } from '../../core/readings/reads/quarters.ts';
import { beforeMigration } from '../backup-file/target.ts';
import { alreadyThere, storeAbsent } from '../shared/errors.ts';
import type { StoreOptions } from '../shared/options.ts';
import { findUserBeforeMigration } from '../shared/registry/users.ts';
import { daySumsOfHours, type HourSummary } from '../sqlite-file/chunks/hour-summaries.ts';
import { migrationsOf, migrationsUpTo } from '../sqlite-file/schema/migrated-schema.ts';
import { type Location, usualSchema } from './address/location.ts';
import { type Database, databaseWithin } from './connection/database.ts';
import type { PostgresSession } from './connection/session.ts';
import { createRunner } from './registry/statements.ts';
import {
  firstWithDaySums,
  initialVersion,
  readPlace,
  requireKnownVersion,
  schemaVersion,
} from './schema/schema-version.ts';
import { createPostgresStore } from './store.ts';

/** Refuses a schema that holds a store (`already_initialised`, exit 5) or tables of others (`store_corrupt`). */
export async function requireNoStore(session: PostgresSession): Promise<void> {
  if ((await readPlace(session)).version > 0)
    throw alreadyThere(session.location.shown, ', such as another ?schema=');
  await requireKnownVersion(session);
}

/** Creates the schema if it is missing, the tables, and what `fill` puts into them, all in one transaction. */
export async function createStore(
  database: Database,
  options: StoreOptions,
  fill: (store: Store) => MaybePromise<void> = () => {},
): Promise<void> {
  await database.transaction(
    async (session) => {
      // Before anything is read: of two processes that create a store at once, the second finds that of the first.
      await lockMigrations(session);
      await requireNoStore(session);
      await prepareSchema(session, options.migrationsFolder);
      const store = createPostgresStore(databaseWithin(session), options);
      // The clock of the database dates the rows that are filled in.
      await store.keys.changeCounter();
      await fill(store);
    },
    { idleMs: 0 },
  );
}

/** Creates the schema if it is missing, and the tables of this version; those of an older one are migrated. */
export async function prepareSchema(
  session: PostgresSession,
  migrationsFolder: string,
): Promise<void> {
  const { schema } = session.location;
  await lockMigrations(session);
  // A schema that an administrator has made needs no right to make one.
  const there = await session.query('select from pg_namespace where nspname = $1', [schema]);
  if (there.length === 0) await session.run(`create schema "${schema}"`);
  await applyMigrations(session, migrationsFolder);
}

/**
 * Applies the missing migrations of a store in one transaction, and returns their number. `check` receives the store before
 * the migration and refuses by throwing: of an older store it can use the profiles and the audit trail. Unless `withoutBackup`
 * is set, a backup of the old store is written first.
 */
export async function migrateStore(
  database: Database,
  options: StoreOptions,
  check: (store: Store) => MaybePromise<void> = () => {},
  { withoutBackup = false }: MigrationRequest = {},
): Promise<MigrationOutcome> {
  const { shown } = database.location;
  const version = await database.exclusively(requireKnownVersion);
  if (version === 0) throw storeAbsent(shown);
  const store = createPostgresStore(database, options);
  const findByLogin = findUserBeforeMigration(createRunner(database));
  await check({ ...store, users: { ...store.users, findByLogin } });
  if (version === schemaVersion) return { applied: 0 };
  const backup = withoutBackup ? undefined : await backUp(database, options);
  const applied = await database.transaction(
    (session) => applyMigrations(session, options.migrationsFolder),
    {
      idleMs: 0,
    },
  );
  return { applied, backup };
}

/** Writes the backup into the state folder of the service, or the current folder: a database has no folder. */
async function backUp(
  database: Database,
  { clock, migrationsFolder, env = {} }: StoreOptions,
): Promise<string> {
  const { writeBackup } = await import('./backup.ts');
  const target = beforeMigration(
    resolve(env.STATE_DIRECTORY || '.'),
    nameOf(database.location),
    clock(),
  );
  await writeBackup(database, target, {
    nowMs: clock(),
    force: false,
    migrationsFolder,
    ofOlder: true,
  });
  return target;
}

function nameOf({ database, schema }: Location): string {
  const parts = schema === usualSchema ? [database] : [database, schema];
  return parts.map((part) => part.replaceAll(/[^\w-]/g, '_')).join('.');
}

/** A number that only hkctl's migrations lock, whatever the schema is: migrations of two stores are rare. */
const migrationLock = 4_857_367_418;

/**
 * Applies the missing migrations inside the transaction of `session`, and returns their number. Two processes do so one after
 * the other. Throws `store_too_new` if a newer hkctl has migrated the store.
 */
async function applyMigrations(session: PostgresSession, folder: string): Promise<number> {
  await lockMigrations(session);
  const before = await requireKnownVersion(session);
  const appliedCount = migrationsUpTo(before, initialVersion);
  const migrations = migrationsOf('postgres', folder);
  const missing = migrations.slice(appliedCount);
  for (const migration of missing) {
    for (const statement of migration) await session.run(inSearchPath(statement));
    const version = initialVersion + migrations.indexOf(migration);
    if (version === firstWithDaySums) await sumUpSummaries(session);
  }
  if (before === 0) await session.run(firstRows);
  await session.run(`update store_version set version = ${schemaVersion}`);
  return missing.length;
}

/** Waits until no other process creates or migrates a store; until the end of the transaction none begins to. */
async function lockMigrations(session: PostgresSession): Promise<void> {
  await session.run(
    `set local lock_timeout = '60s'; select pg_advisory_xact_lock(${migrationLock})`,
  );
}

/** drizzle-kit names the schema `public` in references; our tables are where the search path leads. */
function inSearchPath(statement: string): string {
  return statement.replaceAll('"public".', '');
}

const firstRows = `
  insert into store_version (version) values (0);
  insert into audit_head (last_seq) values (0);
  insert into generations (name, value) values ('keys', 0), ('records', 0)`;

interface SummedDay {
  entity: number;
  series: number;
  dayUs: number;
  droppedUs: number;
  hours: HourSummary[];
}

const daysSql = `select entity, series, hour_us - (hour_us % ${dayUs} + ${dayUs}) % ${dayUs} as "dayUs", max(last_at_us) as "droppedUs",
    json_agg(json_build_object('hourUs', hour_us, 'count', count, 'min', min, 'max', max, 'mean', mean,
      'first', first, 'last', last, 'fallen', fallen, 'lastAtUs', last_at_us)) as hours
  from summaries group by 1, 2, 3`;
const daysAtOnce = 1000;

/** Makes sums of days of the hourly summaries that version 0.2.0 has kept of dropped readings. */
export async function sumUpSummaries(session: PostgresSession): Promise<void> {
  await session.run(`declare summed_days no scroll cursor for ${daysSql}`);
  for (let isMore = true; isMore; ) {
    const days = await session.query<SummedDay>(`fetch ${daysAtOnce} from summed_days`);
    isMore = days.length > 0;
    await session.query(
      'insert into day_sums select * from unnest($1::int4[], $2::int4[], $3::int8[], $4::int8[], $5::bytea[])',
      [
        days.map(({ entity }) => entity),
        days.map(({ series }) => series),
        days.map((day) => day.dayUs),
        days.map(({ droppedUs }) => droppedUs),
        days.map(({ hours }) => daySumsOfHours(hours)),
      ],
    );
  }
  await session.run('close summed_days');
}
