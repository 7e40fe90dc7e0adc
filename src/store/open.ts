import { HkctlError } from '../core/errors.ts';
import type { Engine, StoreOptions } from './engine.ts';
import { createSqliteEngine } from './sqlite/engine.ts';

/** The engine for a store location: the path of a file means SQLite. Throws `usage` (exit 2) for a database server. */
export function engineAt(location: string, options: StoreOptions): Engine {
  if (!/^postgres(ql)?:\/\//i.test(location)) return createSqliteEngine(location, options);
  // The address is not repeated, since it may contain a password.
  throw new HkctlError('usage', 'This version of hkctl keeps stores in SQLite only, and cannot use PostgreSQL.', {
    hint: 'Give the path of a file with --store PATH or HKCTL_STORE.',
  });
}
