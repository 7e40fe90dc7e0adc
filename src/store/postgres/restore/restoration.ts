import type { RestoreHooks, RestoreOutcome } from '../../../core/operations/backups.ts';
import type { Store } from '../../../core/port/store.ts';
import { useCurrent } from '../../archive/copying.ts';
import { type Replacement, restoreFrom } from '../../archive/restoring.ts';
import { readPresent } from '../../archive/states.ts';
import type { StoreOptions } from '../../engine/options.ts';
import type { Connection } from '../../sqlite-database/driver.ts';
import { toDomainError } from '../../sqlite-database/errors.ts';
import type { Database } from '../connection/database.ts';
import { databaseWithin } from '../connection/database-within.ts';
import type { Session } from '../connection/session.ts';
import { prepareSchema } from '../creation.ts';
import { addToJournal, readJournalText } from '../registry/journal.ts';
import { purgeRemoved } from '../registry/purge.ts';
import { statementsOf } from '../registry/statements.ts';
import { readColumnTypes } from '../schema/column-types.ts';
import { requireNotNewer, schemaVersion } from '../schema/schema-version.ts';
import { PostgresStore } from '../store.ts';
import { fillFrom } from './filling.ts';
import { emptyStore, hintOfServed, lockStore } from './locks.ts';

/**
 * Replaces the store in a database by that of a backup, or makes it if there is none, in one transaction: whatever happens
 * leaves the old store or the new one. Refuses tables of others.
 */
export function restoreBackup(
  database: Database,
  file: string,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<RestoreOutcome> {
  const { migrationsFolder } = options;
  const version = async () => requireNotNewer(await database.session());
  const target = {
    hintOfServed,
    isThere: async () => (await version()) > 0,
    withPresent: async <T>(work: (store: Store) => Promise<T>) =>
      (await version()) === schemaVersion ? work(new PostgresStore(database, options)) : undefined,
    replace: (replacement: Replacement) =>
      useCurrent(replacement, { file, migrationsFolder }, (backup) =>
        database.transaction((session) => replace(session, backup, replacement, options), { idleMs: 0 }),
      ).catch((thrown: unknown) => {
        throw toDomainError(thrown, file);
      }),
  };
  return restoreFrom(file, target, options, hooks);
}

async function replace(
  session: Session,
  backup: Connection,
  { file, progress, complete }: Replacement,
  options: StoreOptions,
): Promise<void> {
  const { migrationsFolder } = options;
  await prepareSchema(session, migrationsFolder);
  const types = await readColumnTypes(session);
  await lockStore(session, types);
  const statements = statementsOf(session);
  const present = await readPresent(statements, backup);
  const text = await readJournalText(session);
  await emptyStore(session, types);
  await fillFrom({ backup, file, migrationsFolder, progress }, session, types);
  const within = databaseWithin(session);
  await complete({
    store: new PostgresStore(within, options),
    statements,
    present,
    journal: {
      text,
      isOfRemovals: true,
      add: (lines) => addToJournal(session, [...text.split('\n').filter((line) => line !== ''), ...lines]),
    },
  });
  await purgeRemoved(within);
  // The planner knows nothing of tables that have just been filled, and once took ten minutes for a page.
  for (const table of types.keys()) await session.run(`analyze "${table}"`);
}
