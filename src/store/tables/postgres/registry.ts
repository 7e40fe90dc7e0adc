import { boolean, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { postgresKit, wholeNumber } from '../kits/postgres.ts';
import { registryTables } from '../registry.ts';

/** The tables that SQLite has in its registry database, too. */
export const { tenants, users, entities, keys, keyUsage, audit, purges, marks, pendingSteps } =
  registryTables(
    postgresKit,
    // The order in which organizations were made.
    { tenants: { number: integer('number').notNull().generatedAlwaysAsIdentity() }, keys: {} },
  );

/** Time of last use of a key, apart from it, so that daemons need no right to change keys. */
export const keyUses = postgresKit.table('key_uses', {
  keyId: postgresKit.bytewiseText('key_id').primaryKey(),
  lastUsedAtMs: postgresKit.wholeNumber('last_used_at_ms').notNull(),
  lastUsedIp: postgresKit.text('last_used_ip'),
});

/** The one row that every append to the audit chain locks: the highest number ever assigned. */
export const auditHead = postgresKit.table('audit_head', {
  one: postgresKit.boolean('one').primaryKey().default(true),
  lastSeq: postgresKit.wholeNumber('last_seq').notNull(),
});

/** Numbers that grow in the transaction of each change: `keys` for the registry, `records` for records. */
export const changeCounters = pgTable('generations', {
  name: text('name').primaryKey(),
  value: wholeNumber('value').notNull(),
});

/** Lines of the revocation journal that SQLite keeps in a file next to its store: with them a restore revives nothing that was stopped. */
export const journal = pgTable('journal', {
  number: wholeNumber('number').primaryKey().generatedAlwaysAsIdentity(),
  line: text('line').notNull(),
});

/** The one row that shows that a schema holds a store, of which version. */
export const storeVersion = pgTable('store_version', {
  one: boolean('one').primaryKey().default(true),
  version: integer('version').notNull(),
});

/** Daemons that serve the store; one is alive while its last heartbeat is recent. */
export const daemons = pgTable('daemons', {
  id: text('id').primaryKey(),
  pid: integer('pid').notNull(),
  baseUrl: text('base_url'),
  sinceMs: wholeNumber('since_ms').notNull(),
  seenAtMs: wholeNumber('seen_at_ms').notNull(),
  version: text('version'),
  certificateFromMs: wholeNumber('certificate_from_ms'),
  certificateUntilMs: wholeNumber('certificate_until_ms'),
});

/** Requests that a daemon has counted against a limit in one window. */
export const limitCounts = pgTable('limit_counts', {
  id: text('id').primaryKey(),
  endsAtMs: wholeNumber('ends_at_ms').notNull(),
  count: wholeNumber('count').notNull(),
});
