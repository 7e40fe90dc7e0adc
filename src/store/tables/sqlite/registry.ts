import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { sqliteKit } from '../kits/sqlite.ts';
import { registryTables } from '../registry.ts';

/** The tables of the registry database. */
export const { tenants, users, entities, keys, keyUsage, audit, purges, marks, pendingSteps } =
  registryTables(sqliteKit, {
    keys: { lastUsedAtMs: integer('last_used_at_ms'), lastUsedIp: text('last_used_ip') },
  });

/** Processes that serve the store. */
export const daemons = sqliteTable('daemons', {
  pid: integer('pid').primaryKey(),
  baseUrl: text('base_url').notNull(),
  sinceMs: integer('since_ms').notNull(),
  version: text('version'),
  certificateFromMs: integer('certificate_from_ms'),
  certificateUntilMs: integer('certificate_until_ms'),
});
