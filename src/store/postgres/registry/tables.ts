import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ClientPermission } from '../../../core/access/permissions.ts';
import type { Role } from '../../../core/access/roles.ts';
import type { AuditDraft } from '../../../core/port/audit.ts';
import type { UsageKind } from '../../../core/port/usage.ts';
import type { WeekDay } from '../../../core/time/calendar.ts';
import { usageChecks } from '../../registry/usage.ts';
import { bytewiseText, instantOfDaemons, jsonText, textOfDaemons, wholeNumber } from '../connection/column-types.ts';

/** Organizations; `number` keeps the order in which they were made. */
export const tenants = pgTable('tenants', {
  id: bytewiseText('id').primaryKey(),
  number: integer('number').notNull().generatedAlwaysAsIdentity(),
  name: text('name').notNull(),
  weekStart: text('week_start').$type<WeekDay>().notNull(),
  createdAtMs: wholeNumber('created_at_ms').notNull(),
  /** Readings older than this are dropped; null = kept forever. */
  retainReadingsDays: integer('retain_readings_days'),
});

export const users = pgTable(
  'users',
  {
    id: bytewiseText('id').primaryKey(),
    tenantId: bytewiseText('tenant_id')
      .notNull()
      .references(() => tenants.id),
    login: bytewiseText('login').notNull().unique('users_login_unique'),
    name: text('name').notNull(),
    role: text('role').$type<Role>().notNull(),
    status: text('status').$type<'active' | 'inactive'>().notNull(),
    createdAtMs: wholeNumber('created_at_ms').notNull(),
  },
  (table) => [index('users_tenant').on(table.tenantId, table.login)],
);

export const entities = pgTable(
  'entities',
  {
    id: bytewiseText('id').primaryKey(),
    tenantId: bytewiseText('tenant_id')
      .notNull()
      .references(() => tenants.id),
    code: bytewiseText('code').notNull(),
    name: text('name').notNull(),
    timezone: text('timezone').notNull(),
    status: text('status').$type<'active' | 'inactive'>().notNull(),
    createdAtMs: wholeNumber('created_at_ms').notNull(),
  },
  (table) => [uniqueIndex('entities_code').on(table.tenantId, table.code)],
);

/** API keys, with the hash of the secret, never the secret. Times of last use are in `key_uses`. */
export const keys = pgTable(
  'keys',
  {
    id: bytewiseText('id').primaryKey(),
    tenantId: bytewiseText('tenant_id')
      .notNull()
      .references(() => tenants.id),
    prefix: bytewiseText('prefix').notNull().unique('keys_prefix_unique'),
    secretHash: bytewiseText('secret_hash').notNull().unique('keys_secret_hash_unique'),
    name: text('name').notNull(),
    permissions: jsonText<ClientPermission[]>('permissions').notNull(),
    entityId: bytewiseText('entity_id').references(() => entities.id, { onDelete: 'set null' }),
    createdBy: bytewiseText('created_by')
      .notNull()
      .references(() => users.id),
    createdAtMs: wholeNumber('created_at_ms').notNull(),
    expiresAtMs: wholeNumber('expires_at_ms'),
    revokedAtMs: wholeNumber('revoked_at_ms'),
    revokedBy: bytewiseText('revoked_by').references(() => users.id),
    rotatedFrom: bytewiseText('rotated_from'),
    rotatedTo: bytewiseText('rotated_to'),
    /** Networks that the key may be used from, in CIDR notation; empty = from anywhere. */
    allowedIps: jsonText<string[]>('allowed_ips').notNull().default(sql`'[]'`),
    note: text('note'),
  },
  (table) => [
    index('keys_newest').on(table.tenantId, table.createdAtMs, table.id),
    index('keys_newest_live').on(table.tenantId, table.createdAtMs, table.id).where(sql`revoked_at_ms is null`),
    index('keys_live_of_entity').on(table.entityId, table.createdAtMs).where(sql`revoked_at_ms is null`),
    index('keys_live_of_user').on(table.createdBy, table.createdAtMs).where(sql`revoked_at_ms is null`),
    index('keys_live_expiring').on(table.tenantId, table.expiresAtMs).where(sql`revoked_at_ms is null`),
    index('keys_of_entity').on(table.entityId),
  ],
);

/** Time of last use of a key, apart from it, so that daemons need no right to change keys. */
export const keyUses = pgTable('key_uses', {
  keyId: bytewiseText('key_id').primaryKey(),
  lastUsedAtMs: instantOfDaemons('last_used_at_ms').notNull(),
  lastUsedIp: textOfDaemons('last_used_ip'),
});

/** What keys did, by day. Days come first, so that old ones are removed as one range. */
export const keyUsage = pgTable(
  'key_usage',
  {
    /** Days from 1970-01-01 to the day of the entity. */
    day: integer('day').notNull(),
    keyId: bytewiseText('key_id').notNull(),
    kind: bytewiseText('kind').$type<UsageKind>().notNull(),
    code: bytewiseText('code').notNull(),
    count: wholeNumber('count').notNull(),
    lastAtMs: wholeNumber('last_at_ms'),
    lastSensor: text('last_sensor'),
  },
  (table) => [
    primaryKey({ columns: [table.day, table.keyId, table.kind, table.code] }),
    index('key_usage_rejected').on(table.day).where(sql`kind = 'rejected'`),
    // A daemon's log-in may write into this table: what it cannot be given here, nothing that reads has to expect.
    check('key_usage_valid', sql.raw(usageChecks)),
  ],
);

/** The audit chain. Texts are JSON strings, since PostgreSQL's text has no NUL character. */
export const audit = pgTable(
  'audit',
  {
    seq: wholeNumber('seq').primaryKey(),
    tenantId: jsonText<string>('tenant_id'),
    atMs: wholeNumber('at_ms').notNull(),
    action: text('action').$type<AuditDraft['action']>().notNull(),
    actorId: jsonText<string>('actor_id'),
    actorLogin: jsonText<string>('actor_login'),
    osAccount: jsonText<string>('os_account').notNull(),
    target: jsonText<string>('target').notNull(),
    outcome: text('outcome').$type<AuditDraft['outcome']>().notNull(),
    detail: jsonText<AuditDraft['detail']>('detail').notNull(),
    previousHash: text('previous_hash').notNull(),
    hash: text('hash').notNull(),
  },
  (table) => [index('audit_tenant').on(table.tenantId, table.seq)],
);

/** The one row that every append to the audit chain locks: the highest number ever assigned. */
export const auditHead = pgTable('audit_head', {
  one: boolean('one').primaryKey().default(true),
  lastSeq: wholeNumber('last_seq').notNull(),
});

/** Numbers that grow in the transaction of each change: `keys` for the registry, `records` for records. */
export const generations = pgTable('generations', {
  name: text('name').primaryKey(),
  value: wholeNumber('value').notNull(),
});

/** Daemons that serve the store; one is alive while its last heartbeat is recent. */
export const daemons = pgTable('daemons', {
  id: text('id').primaryKey(),
  pid: integer('pid').notNull(),
  baseUrl: text('base_url'),
  sinceMs: wholeNumber('since_ms').notNull(),
  seenAtMs: wholeNumber('seen_at_ms').notNull(),
  version: text('version'),
});

/** Requests that a daemon has counted against a limit in one window. */
export const limitCounts = pgTable('limit_counts', {
  id: text('id').primaryKey(),
  endsAtMs: wholeNumber('ends_at_ms').notNull(),
  count: wholeNumber('count').notNull(),
});

/** Removed entities whose records and readings may still be there. */
export const purges = pgTable('purges', {
  entityId: bytewiseText('entity_id').primaryKey(),
});

/**
 * Lines of the journal that SQLite keeps in a file next to its store: with them a restore brings back nothing that was stopped. The rows of
 * keys, users and entities contain what is stopped now: a line is written when such a row is deleted.
 */
export const journal = pgTable('journal', {
  number: wholeNumber('number').primaryKey().generatedAlwaysAsIdentity(),
  line: text('line').notNull(),
});

/** Numbers of a store, such as the samples of the clock. */
export const marks = pgTable('marks', {
  name: text('name').primaryKey(),
  value: wholeNumber('value').notNull(),
});

/** The one row that shows that a schema holds a store, of which version. */
export const storeVersion = pgTable('store_version', {
  one: boolean('one').primaryKey().default(true),
  version: integer('version').notNull(),
});
