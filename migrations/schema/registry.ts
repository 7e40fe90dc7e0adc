import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { registryTables, type TableKit } from './registry-tables.ts';

export const { tenants, users, entities, keys, keyUsage, audit, purges, marks } = registryTables(
  {
    table: sqliteTable,
    text,
    bytes: text,
    json: (name) => text(name, { mode: 'json' }) as unknown as ReturnType<TableKit['json']>, // of any value
    anyText: text,
    integer,
    whole: integer,
    // AUTOINCREMENT keeps the highest number ever assigned, so that a cut tail is found.
    seq: (name) => integer(name).primaryKey({ autoIncrement: true }) as unknown as ReturnType<TableKit['seq']>, // never null
    index,
    uniqueIndex,
    primaryKey,
    check,
  },
  { keys: { lastUsedAtMs: integer('last_used_at_ms'), lastUsedIp: text('last_used_ip') } },
);

export const daemons = sqliteTable('daemons', {
  pid: integer('pid').primaryKey(),
  baseUrl: text('base_url').notNull(),
  sinceMs: integer('since_ms').notNull(),
  version: text('version'),
});
