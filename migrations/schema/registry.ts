import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { sqliteKit } from './kits.ts';
import { registryTables } from './registry-tables.ts';

/** The tables of the registry database, for drizzle-kit. */
module.exports = {
  ...registryTables(sqliteKit, {
    keys: { lastUsedAtMs: integer('last_used_at_ms'), lastUsedIp: text('last_used_ip') },
  }),
  daemons: sqliteTable('daemons', {
    pid: integer('pid').primaryKey(),
    baseUrl: text('base_url').notNull(),
    sinceMs: integer('since_ms').notNull(),
    version: text('version'),
  }),
};
