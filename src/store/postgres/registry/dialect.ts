import { eq, sql } from 'drizzle-orm/sql';
import type { Dialect } from '../../shared/registry/statements.ts';
import { lockRows, postgresBuilder } from '../../tables/kits/postgres.ts';
import * as tables from '../../tables/postgres/registry.ts';
import { shownMs } from '../connection/shown-instants.ts';

const { keys, keyUses, audit, auditHead } = tables;

/** The log-in of a daemon can write any number and any text; no address of a client has more than 64 characters. */
const lastUses = postgresBuilder
  .select({
    keyId: keyUses.keyId,
    atMs: sql<number | null>`${sql.raw(shownMs('last_used_at_ms'))}`.as('at_ms'),
    ip: sql<string | null>`left(${keyUses.lastUsedIp}, 64)`.as('ip'),
  })
  .from(keyUses)
  .as('last_uses');

export const dialect: Dialect = {
  builder: postgresBuilder,
  tables,
  lastUse: {
    atMs: sql`${lastUses.atMs}`,
    ip: sql`${lastUses.ip}`,
    // The selected fields keep their types: none of them is of the joined table alone.
    joinTo: (query) =>
      query.leftJoin(lastUses, eq(lastUses.keyId, keys.id)) as unknown as typeof query,
  },
  tenantOrder: sql`number`,
  withoutIndex: (condition) => condition,
  // Of the audit chain this locks the head, so that processes append one after the other.
  lockRows,
  selectLastSeq: () => postgresBuilder.select({ lastSeq: auditHead.lastSeq }).from(auditHead),
  elementsOf: (array) => sql`(select value from json_array_elements_text(${array}::json))`,
  isLike: (column, pattern) => sql`${column} ilike ${pattern}`,
  // Targets are kept as JSON, and the collation makes `lower` the same on every server.
  hasTarget: (textPart) => {
    const jsonPart = JSON.stringify(textPart).slice(1, -1);
    return sql`position(${jsonPart} in lower(${audit.target} collate "C")) > 0`;
  },
};
