import { HkctlError } from '../../core/errors.ts';
import type { Store } from '../../core/port/store.ts';
import type { StoreOptions } from '../engine/options.ts';
import type { Connection } from '../sqlite-database/driver.ts';
import { requireSchemaVersion } from '../sqlite-database/schema/schema-versions.ts';
import { filesOf } from './connection/files.ts';
import { Reserve } from './connection/reserve.ts';
import { openPresent } from './prepared.ts';
import { SqliteStore } from './store.ts';

/** Opens an existing store of this version: `store_absent`, `store_too_old`, `store_corrupt` … (exit 6). */
export function openStore(path: string, options: StoreOptions): Store {
  const reserve = new Reserve(filesOf(path).reserve, path);
  // SQLite creates files when a database is opened that no other process has open.
  const registry = reserve.withRoom(() => {
    const registry = openRegistry(path, options.busyTimeoutMs);
    try {
      requireSchemaVersion(registry, 'registry', path);
    } catch (thrown) {
      registry.close();
      throw thrown;
    }
    return registry;
  });
  return new SqliteStore(path, registry, { ...options, reserve });
}

/** Opens the registry of a complete store; `store_absent` if there is none, or one whose creation was interrupted. */
export function openRegistry(path: string, busyTimeoutMs?: number): Connection {
  const registry = openPresent(path, busyTimeoutMs);
  if (registry) return registry;
  throw new HkctlError('store_absent', `The store at ${path} was never finished; it is empty.`, {
    hint: 'Make it with: hkctl init',
  });
}
