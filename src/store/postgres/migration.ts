import { HkctlError } from '../../core/errors.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Store } from '../../core/port/store.ts';
import type { StoreOptions } from '../engine.ts';
import type { Database } from './connection/database.ts';
import { applyMigrations } from './schema/migrations.ts';
import { requireNotNewer } from './schema/schema-version.ts';
import { PostgresStore } from './store.ts';

/**
 * Applies the missing migrations of a store in one transaction, and returns their number. `check` receives the store before
 * the migration and refuses by throwing: of an older store it can use the profiles and the audit trail.
 */
export async function migrateStore(
  database: Database,
  options: StoreOptions,
  check: (store: Store) => MaybePromise<void> = () => {},
): Promise<{ applied: number }> {
  const { shown } = database.location;
  if ((await requireNotNewer(await database.session(), shown)) === 0) {
    throw new HkctlError('store_absent', `There is no store at ${shown}.`, { hint: 'Make it with: hkctl init' });
  }
  await check(new PostgresStore(database, options));
  const applied = await database.transaction((session) => applyMigrations(session, options.migrationsFolder, shown), {
    idleMs: 0,
  });
  return { applied };
}
