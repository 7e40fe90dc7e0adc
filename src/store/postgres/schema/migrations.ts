import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { Session } from '../connection/session.ts';
import { requireNotNewer, schemaVersion } from './schema-version.ts';

/** A number that only hkctl's migrations lock, whatever the schema is: migrations of two stores are rare. */
const migrationLock = 4_857_367_418;

/**
 * Applies the missing migrations inside the transaction of `session`, and returns their number. Two processes do so one after
 * the other. Throws `store_too_new` if a newer hkctl has migrated the store.
 */
export async function applyMigrations(session: Session, folder: string): Promise<number> {
  const migrationsFolder = join(folder, 'postgres');
  if (!existsSync(migrationsFolder))
    throw new Error(`migrations are missing from this installation: ${migrationsFolder}`);
  await lockMigrations(session);
  const before = await requireNotNewer(session);
  const missing = readMigrationFiles({ migrationsFolder }).slice(before);
  for (const statement of missing.flatMap(({ sql }) => sql)) await session.run(inSearchPath(statement));
  if (before === 0) await session.run(firstRows);
  await session.run(`update store_version set version = ${schemaVersion}`);
  return missing.length;
}

/** Waits until no other process creates or migrates a store; until the end of the transaction none begins to. */
export async function lockMigrations(session: Session): Promise<void> {
  await session.run(`set local lock_timeout = '60s'; select pg_advisory_xact_lock(${migrationLock})`);
}

/** drizzle-kit names the schema `public` in references; our tables are where the search path leads. */
function inSearchPath(statement: string): string {
  return statement.replaceAll('"public".', '');
}

const firstRows = `
  insert into store_version (version) values (0);
  insert into audit_head (last_seq) values (0);
  insert into generations (name, value) values ('keys', 0), ('records', 0)`;
