import { sql } from 'drizzle-orm/sql';
import type { Dialect } from '../../shared/registry/statements.ts';
import { sqliteBuilder } from '../../tables/kits/sqlite.ts';
import * as tables from '../../tables/sqlite/registry.ts';

export const dialect: Dialect = {
  builder: sqliteBuilder,
  tables,
  lastUse: {
    atMs: sql`${tables.keys.lastUsedAtMs}`,
    ip: sql`${tables.keys.lastUsedIp}`,
    joinTo: (query) => query,
  },
  tenantOrder: sql`rowid`,
  withoutIndex: (condition) => sql`+${condition}`,
  // A transaction of the registry excludes all others.
  lockRows: (query) => query,
  selectLastSeq: () =>
    sqliteBuilder
      .select({ lastSeq: sql<number>`seq` })
      .from(sql`sqlite_sequence`)
      .where(sql`name = 'audit'`),
  elementsOf: (array) => sql`(select value from json_each(${array}))`,
  isLike: (column, pattern) => sql`${column} like ${pattern} escape '\\'`,
  hasTarget: (part) => sql`instr(lower(${tables.audit.target}), ${part}) > 0`,
};
