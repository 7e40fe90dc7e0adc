import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RestoreHooks, RestoreOutcome } from '../../core/operations/backups.ts';
import { stopCommand } from '../../core/operations/settings.ts';
import type { Stop } from '../../core/port/stops.ts';
import { openCurrent } from '../backup-file/copying.ts';
import {
  type ReceivedBackup,
  type RestoreSource,
  readPresent,
  receiveAndOpen,
  stopRestored,
} from '../backup-file/restoring.ts';
import { makePrivateFolder } from '../backup-file/target.ts';
import { verifyBackup } from '../backup-file/verification.ts';
import { servedAt } from '../shared/errors.ts';
import type { StoreOptions } from '../shared/options.ts';
import { linesMissingIn, readStates } from '../shared/registry/stops.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { toDomainError } from '../sqlite-file/errors.ts';
import { fillFrom } from './backup/filling.ts';
import { type ColumnTypes, readColumnTypes } from './backup/queries.ts';
import { type Database, databaseWithin } from './connection/database.ts';
import type { PostgresSession } from './connection/session.ts';
import { advanceCounter } from './daemons/change-counters.ts';
import { isAlive } from './daemons/daemons.ts';
import { prepareSchema } from './migration.ts';
import { purgeRemoved } from './registry/purge.ts';
import {
  addToJournal,
  createExecutor,
  dialect,
  readJournalText,
  runStatement,
} from './registry/statements.ts';
import { requireKnownVersion, schemaVersion } from './schema/schema-version.ts';
import { createPostgresStore } from './store.ts';

/**
 * Replaces the store in a database by a verified backup, which is read once, or makes it if there is none. All is one
 * transaction: any failure leaves the old store. Refuses tables of others; `state_forbids` while a daemon serves the store.
 */
export async function restoreBackup(
  database: Database,
  source: RestoreSource,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<RestoreOutcome> {
  const folder = makePrivateFolder(options.clock());
  let backup: ReceivedBackup | undefined;
  try {
    const isReadable = await authorizeInPresent(database, options, hooks);
    hooks.requireConfirmable?.(await isThere(database));

    backup = await receiveAndOpen(source, join(folder, 'hkctl'), options);
    const { head, shown, digest } = backup;
    await hooks.confirm(head, await isThere(database));
    // Who was asked may have lost the right meanwhile.
    if (isReadable) await authorizeInPresent(database, options, hooks);
    await verifyBackup(backup, shown);

    const kept = await replaceStore(database, { backup, isReadable }, options, hooks);
    return { facts: head, kept, digest };
  } finally {
    backup?.discard();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks the actor's right in the present store; false if there is none of this version. */
async function authorizeInPresent(
  database: Database,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<boolean> {
  if ((await currentVersion(database)) !== schemaVersion) return false;
  const store = createPostgresStore(database, options);
  await hooks.authorize(store);
  const address = await store.daemon.address();
  if (address !== undefined) throw servedAt(address, hintOfServed);
  return true;
}

async function isThere(database: Database): Promise<boolean> {
  return (await currentVersion(database)) > 0;
}

function currentVersion(database: Database): Promise<number> {
  return database.exclusively(requireKnownVersion);
}

interface Replacement {
  backup: ReceivedBackup;
  /** Whether the rows of the present store could be asked. */
  isReadable: boolean;
}

async function replaceStore(
  database: Database,
  replacement: Replacement,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<readonly Stop[]> {
  const current = openCurrent(replacement.backup, options);
  try {
    return await database.transaction(
      (session) => replaceRows(session, current, replacement, options, hooks),
      { idleMs: 0 },
    );
  } catch (thrown) {
    throw toDomainError(thrown, replacement.backup.shown);
  } finally {
    current.close();
  }
}

/** Fills the tables from a backup of this version, and stops in them what the journal names, while nobody else can use them. */
async function replaceRows(
  session: PostgresSession,
  current: Connection,
  { backup, isReadable }: Replacement,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<readonly Stop[]> {
  const { migrationsFolder, clock } = options;
  await prepareSchema(session, migrationsFolder);
  const columnTypes = await readColumnTypes(session);
  await lockStore(session, columnTypes);

  const registry = { ...createExecutor(session), dialect };
  const present = await runStatement(readPresent(registry, current));
  await emptyStore(session, columnTypes);
  const source = { ...backup, backup: current, migrationsFolder, progress: hooks.progress };
  await fillFrom(source, session, columnTypes);

  const sources = { journalText: await readJournalText(session), backup, present };
  const { stops, addedLines } = await runStatement(stopRestored(registry, sources, clock()));
  await addToJournal(session, addedLines);

  const ownDatabase = databaseWithin(session);
  const store = createPostgresStore(ownDatabase, options);
  // In the backup somebody may be a Super user who is none any more.
  if (!isReadable) await hooks.authorize(store);
  await hooks.audit(store, { kept: stops, replaced: present.trail, digest: backup.digest });
  const states = await runStatement(readStates(registry));
  const restoredLines = linesMissingIn(await readJournalText(session), states, clock());
  await addToJournal(session, restoredLines);
  await purgeRemoved(ownDatabase);

  // The planner knows nothing of tables that have just been filled, and once took ten minutes for a page.
  for (const table of columnTypes.keys()) await session.run(`analyze "${table}"`);
  return stops;
}

/**
 * Tables whose rows outlive a restore: its own version, the revocation journal, the change counters by which others notice it, and
 * what each machine has seen of its clock.
 */
const keptTables: ReadonlySet<string> = new Set([
  'store_version',
  'journal',
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

  await session.run(`delete from daemons; ${advanceCounter.keys}`);

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
  await session.run(advanceCounter.records);
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
