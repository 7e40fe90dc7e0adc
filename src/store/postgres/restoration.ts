import { join } from 'node:path';
import type { RestoreHooks, RestoreOutcome } from '../../core/operations/backups.ts';
import { stopCommand } from '../../core/operations/stopping.ts';
import type { Store } from '../../core/port/store.ts';
import { useCurrent } from '../backup-file/copying.ts';
import { inPrivateFolder } from '../backup-file/private-folder.ts';
import { type Replacement, type RestoreSource, restoreFrom } from '../backup-file/restoring.ts';
import { readPresent } from '../backup-file/stops.ts';
import { servedAt } from '../shared/errors.ts';
import type { StoreOptions } from '../shared/options.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { toDomainError } from '../sqlite-file/errors.ts';
import { fillFrom } from './backup/filling.ts';
import { type ColumnTypes, readColumnTypes } from './backup/queries.ts';
import { type Database, databaseWithin } from './connection/database.ts';
import type { PostgresSession } from './connection/session.ts';
import { isAlive } from './daemons/daemons.ts';
import { prepareSchema } from './migration.ts';
import { dialect } from './registry/dialect.ts';
import { purgeRemoved } from './registry/purge.ts';
import { addToJournal, createExecutor, readJournalText } from './registry/statements.ts';
import { requireKnownVersion, schemaVersion } from './schema/schema-version.ts';
import { createPostgresStore } from './store.ts';

/**
 * Replaces the store in a database by that of a backup, or makes it if there is none, in one transaction: whatever happens
 * leaves the old store or the new one. Refuses tables of others.
 */
export function restoreBackup(
  database: Database,
  source: RestoreSource,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<RestoreOutcome> {
  const { migrationsFolder } = options;
  const currentVersion = async () => requireKnownVersion(await database.session());
  const replaceBy = (replacement: Replacement, backup: Connection) =>
    database.transaction((session) => replaceStore(session, backup, replacement, options), {
      idleMs: 0,
    });
  const targetIn = (folder: string) => ({
    workPath: join(folder, 'hkctl'),
    hintOfServed,
    isThere: async () => (await currentVersion()) > 0,
    async withPresent<T>(work: (store: Store) => Promise<T>) {
      if ((await currentVersion()) !== schemaVersion) return undefined;
      return work(createPostgresStore(database, options));
    },
    replace: (replacement: Replacement) =>
      useCurrent(replacement, { migrationsFolder }, (backup) =>
        replaceBy(replacement, backup),
      ).catch((thrown: unknown) => {
        throw toDomainError(thrown, replacement.shown);
      }),
  });
  return inPrivateFolder((folder) => restoreFrom(source, targetIn(folder), options, hooks));
}

async function replaceStore(
  session: PostgresSession,
  backup: Connection,
  { shown, damaged, progress, complete }: Replacement,
  options: StoreOptions,
): Promise<void> {
  const { migrationsFolder } = options;
  await prepareSchema(session, migrationsFolder);
  const columnTypes = await readColumnTypes(session);
  await lockStore(session, columnTypes);

  const registry = { ...createExecutor(session), dialect };
  const present = await readPresent(registry, backup);
  const journalText = await readJournalText(session);
  const journalLines = journalText.split('\n').filter((line) => line !== '');
  await emptyStore(session, columnTypes);
  await fillFrom({ backup, shown, damaged, migrationsFolder, progress }, session, columnTypes);

  const ownDatabase = databaseWithin(session);
  await complete({
    store: createPostgresStore(ownDatabase, options),
    registry,
    present,
    journal: {
      text: journalText,
      isOfRemovals: true,
      add: (lines) => addToJournal(session, [...journalLines, ...lines]),
    },
  });
  await purgeRemoved(ownDatabase);

  // The planner knows nothing of tables that have just been filled, and once took ten minutes for a page.
  for (const table of columnTypes.keys()) await session.run(`analyze "${table}"`);
}

/**
 * Tables whose rows outlive a restore: its own version, the change counters by which others notice it, and what each machine has
 * seen of its clock.
 */
const keptTables: ReadonlySet<string> = new Set([
  'store_version',
  'generations',
  'marks',
  'audit_head',
  'daemons',
]);

/** Tables that changes lock last, in their order: a restore that takes them in the same one waits instead of deadlocking. */
const lockedLast = [
  ...['purges', 'tenants', 'users', 'entities', 'keys', 'key_uses', 'key_usage'],
  ...['journal', 'audit_head', 'audit'],
];

/**
 * Locks the tables of a store for the rest of the transaction, so that nobody reads or changes them, and no daemon begins. Throws
 * `state_forbids` while a daemon serves, `store_locked` if another change or backup takes too long.
 */
async function lockStore(session: PostgresSession, columnTypes: ColumnTypes): Promise<void> {
  await session.run("set local lock_timeout = '5s'; lock table daemons in access exclusive mode");
  const servingDaemons = await session.query<{ address: string | null }>(
    `select base_url as address from daemons where ${isAlive} order by base_url nulls last`,
  );
  const addressed = servingDaemons.find(({ address }) => address !== null);
  if (servingDaemons.length > 0) throw servedAt(addressed?.address, hintOfServed);

  await session.run(
    "delete from daemons; update generations set value = value + 1 where name = 'keys'",
  );

  const lockRank = (table: string) =>
    table === 'record_entities' ? -2 : lockedLast.indexOf(table);
  const lockedTables = [...columnTypes.keys()].filter(
    (table) => lockedLast.includes(table) || !keptTables.has(table),
  );
  // Readings and imports lock the row of an entity before they write its tables.
  const orderedTables = lockedTables
    .sort((a, b) => lockRank(a) - lockRank(b))
    .map((table) => `"${table}"`)
    .join(', ');
  await session.run(`lock table ${orderedTables} in access exclusive mode`);
  await session.run("update generations set value = value + 1 where name = 'records'");
}

/** Empties the tables of a locked store. Until the commit their files stay, so that a failed restore leaves the old store. */
async function emptyStore(session: PostgresSession, columnTypes: ColumnTypes): Promise<void> {
  const emptiedTables = [...columnTypes.keys()]
    .filter((table) => !keptTables.has(table))
    .map((table) => `"${table}"`);
  await session.run(`truncate ${emptiedTables.join(', ')} restart identity`);
}

/** The hint while a daemon serves the store. */
const hintOfServed = `Stop every daemon on any machine (under systemd: ${stopCommand}), restore, and start them again. One that was killed counts as serving for 10 s.`;
