import type { KeptStopped, RestoreHooks, RestoreOutcome } from '../../../core/operations/backups.ts';
import { missingRemovals } from '../../archive/continued-journal.ts';
import { useCurrent } from '../../archive/current-backup.ts';
import { damagedBackup, journalIn } from '../../archive/format.ts';
import {
  type LiveKey,
  revokedSince,
  type Stoppable,
  stoppableSql,
  stopStatements,
  stopsSince,
} from '../../archive/stops.ts';
import { readBackup, readBackupHead } from '../../archive/verification.ts';
import type { StoreOptions } from '../../engine.ts';
import { readJournal } from '../../journal-lines.ts';
import { servedAt } from '../../refusals.ts';
import type { Connection } from '../../sqlite/connection/driver.ts';
import { toDomainError } from '../../sqlite/connection/errors.ts';
import type { Database } from '../connection/database.ts';
import { databaseWithin } from '../connection/database-within.ts';
import type { Session } from '../connection/session.ts';
import { prepareSchema } from '../creation.ts';
import { purgeRemoved } from '../registry/purge.ts';
import { readColumnTypes } from '../schema/column-types.ts';
import { requireNotNewer, schemaVersion } from '../schema/schema-version.ts';
import { PostgresStore } from '../store.ts';
import { createFilling } from './filling.ts';
import { emptyStore, hintOfServed, lockStore } from './locks.ts';
import { type Present, readPresent } from './present.ts';

/**
 * Replaces the store in a database by that of a backup, or makes it where there is none, in one transaction: whatever happens
 * leaves the old store or the new one. What was stopped since the backup stays stopped: it is read while nobody else can change
 * the old store. Throws `state_forbids` while a daemon serves the store. Asks for confirmation before it copies.
 */
export async function restoreBackup(
  database: Database,
  file: string,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<RestoreOutcome> {
  const { migrationsFolder } = options;
  const head = readBackupHead(file, migrationsFolder);
  const isPermitted = await checkPresent(database, options, hooks);
  await hooks.confirm(head, (await requireNotNewer(await database.session())) > 0);
  // Who was asked may have lost the right meanwhile.
  if (isPermitted) await checkPresent(database, options, hooks);
  const facts = await readBackup(file, migrationsFolder);
  const kept = await useCurrent(file, migrationsFolder, (backup) =>
    database
      .transaction((session) => replace(session, { backup, file, isPermitted }, options, hooks), {
        idleMs: 0,
      })
      .catch((thrown: unknown) => {
        throw toDomainError(thrown, file);
      }),
  );
  return { facts, kept };
}

/**
 * Checks the permissions of the actor in the present store; false where there is none of this version. Refuses a store that a
 * daemon serves, before it asks for confirmation, and tables of others.
 */
async function checkPresent(database: Database, options: StoreOptions, { authorize }: RestoreHooks): Promise<boolean> {
  if ((await requireNotNewer(await database.session())) !== schemaVersion) return false;
  const store = new PostgresStore(database, options);
  const address = await store.daemon.address();
  if (address !== undefined) throw servedAt(address, hintOfServed);
  await authorize(store);
  return true;
}

interface Replacement {
  backup: Connection;
  file: string;
  /** Whether the permissions of the actor were checked already. */
  isPermitted: boolean;
}

async function replace(
  session: Session,
  { backup, file, isPermitted }: Replacement,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<KeptStopped[]> {
  const { migrationsFolder } = options;
  await prepareSchema(session, migrationsFolder);
  const types = await readColumnTypes(session);
  await lockStore(session, types);
  const within = databaseWithin(session);
  const nowMs = options.clock();
  const present = await readPresent(session, within, journalIn(backup), nowMs);
  await emptyStore(session, types);
  const damaged = (what: string) => damagedBackup(file, what);
  const progress = (share: number) => hooks.progress?.(share);
  const filling = createFilling(session, types, { backup, file, migrationsFolder, damaged, progress });
  const there = backup.prepare<[], string>('select id from entities').pluck().all();
  const removed = missingRemovals(present.journal, journalIn(backup) ?? '', new Set(there));
  await filling.registry(present.journal + removed.join(''));
  const kept = await stopAgain(session, present, nowMs);
  const store = new PostgresStore(within, options);
  // In the backup somebody may be a Super user who is none any more.
  if (!isPermitted) await hooks.authorize(store);
  await filling.plant();
  await purgeRemoved(within);
  await hooks.audit(store, kept, present.store.trail);
  // The planner knows nothing of tables that have just been filled, and once took ten minutes for a page.
  for (const table of types.keys()) await session.run(`analyze "${table}"`);
  return kept;
}

/** Stops in the restored registry whatever was stopped since the backup. Throws `state_forbids` where nobody could act any more. */
async function stopAgain(session: Session, { store, journal }: Present, nowMs: number): Promise<KeptStopped[]> {
  const since = { present: store, journal: readJournal(journal), nowMs };
  const backup = {
    tenants: await session.query<Stoppable['tenants'][number]>('restore.tenants', stoppableSql.tenants),
    users: await session.query<Stoppable['users'][number]>('restore.users', `${stoppableSql.users} order by id`),
    entities: await session.query<Stoppable['entities'][number]>(
      'restore.entities',
      `${stoppableSql.entities} order by id`,
    ),
    keys: await session.query<LiveKey>('restore.keys', `${stoppableSql.keys} = any($1)`, [
      [...revokedSince(since).keys()],
    ]),
  };
  const kept = stopsSince(backup, since);
  for (const one of kept) {
    for (const [index, [sql, values]] of stopStatements(one).entries()) {
      let parameters = 0;
      const text = sql.replaceAll('?', () => `$${++parameters}`);
      await session.query(`stop.${one.what}.${index}`, text, values);
    }
  }
  return kept;
}
