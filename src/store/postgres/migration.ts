import { resolve } from 'node:path';
import type { MigrationOutcome, MigrationRequest } from '../../core/operations/engine.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Store } from '../../core/port/store.ts';
import { beforeMigration } from '../archive/target.ts';
import { storeAbsent } from '../engine/errors.ts';
import type { StoreOptions } from '../engine/options.ts';
import { type Location, usualSchema } from './address/location.ts';
import type { Database } from './connection/database.ts';
import { applyMigrations } from './creation.ts';
import { requireNotNewer, schemaVersion } from './schema/schema-version.ts';
import { createPostgresStore } from './store.ts';

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
  const version = await requireNotNewer(await database.session());
  if (version === 0) throw storeAbsent(shown);
  await check(createPostgresStore(database, options));
  if (version === schemaVersion) return { applied: 0 };
  const backup = withoutBackup ? undefined : await backUp(database, options);
  const applied = await database.transaction((session) => applyMigrations(session, options.migrationsFolder), {
    idleMs: 0,
  });
  return { applied, backup };
}

/** Writes the backup into the state folder of the service, or the current folder: a database has no folder. */
async function backUp(database: Database, { clock, migrationsFolder, env = {} }: StoreOptions): Promise<string> {
  const { writeBackup } = await import('./backup/backup.ts');
  const target = beforeMigration(resolve(env.STATE_DIRECTORY || '.'), nameOf(database.location), clock());
  await writeBackup(database, target, { nowMs: clock(), force: false, migrationsFolder, ofOlder: true });
  return target;
}

function nameOf({ database, schema }: Location): string {
  const parts = schema === usualSchema ? [database] : [database, schema];
  return parts.map((part) => part.replaceAll(/[^\w-]/g, '_')).join('.');
}
