import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { ClientPermission } from '../../../core/access/permissions.ts';
import type { Role } from '../../../core/access/roles.ts';
import type { AuditDraft } from '../../../core/port/audit.ts';
import type { UsageKind } from '../../../core/port/usage.ts';
import type { WeekDay } from '../../../core/time/calendar.ts';
import { usageChecks } from '../../registry/usage.ts';

export const tenants = sqliteTable('tenants', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  weekStart: text('week_start').$type<WeekDay>().notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
  /** Readings older than this are dropped; null = kept forever. */
  retainReadingsDays: integer('retain_readings_days'),
});

export const users = sqliteTable(
  'users',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    login: text('login').notNull().unique(),
    name: text('name').notNull(),
    role: text('role').$type<Role>().notNull(),
    status: text('status').$type<'active' | 'inactive'>().notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [index('users_tenant').on(table.tenantId, table.login)],
);

export const entities = sqliteTable(
  'entities',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    code: text('code').notNull(),
    name: text('name').notNull(),
    timezone: text('timezone').notNull(),
    status: text('status').$type<'active' | 'inactive'>().notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [uniqueIndex('entities_code').on(table.tenantId, table.code)],
);

/** API keys, with the hash of the secret, never the secret. */
export const keys = sqliteTable(
  'keys',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    prefix: text('prefix').notNull().unique(),
    secretHash: text('secret_hash').notNull().unique(),
    name: text('name').notNull(),
    permissions: text('permissions', { mode: 'json' }).$type<ClientPermission[]>().notNull(),
    entityId: text('entity_id').references(() => entities.id, { onDelete: 'set null' }),
    createdBy: text('created_by')
      .notNull()
      .references(() => users.id),
    createdAtMs: integer('created_at_ms').notNull(),
    expiresAtMs: integer('expires_at_ms'),
    lastUsedAtMs: integer('last_used_at_ms'),
    revokedAtMs: integer('revoked_at_ms'),
    revokedBy: text('revoked_by').references(() => users.id),
    rotatedFrom: text('rotated_from'),
    rotatedTo: text('rotated_to'),
    /** Networks that the key may be used from, in CIDR notation; empty = from anywhere. */
    allowedIps: text('allowed_ips', { mode: 'json' }).$type<string[]>().notNull().default([]),
    note: text('note'),
    lastUsedIp: text('last_used_ip'),
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

/** What keys did, by day. Days come first, so that old ones are removed as one range. */
export const keyUsage = sqliteTable(
  'key_usage',
  {
    /** Days from 1970-01-01 to the day of the entity. */
    day: integer('day').notNull(),
    keyId: text('key_id').notNull(),
    kind: text('kind').$type<UsageKind>().notNull(),
    code: text('code').notNull(),
    count: integer('count').notNull(),
    lastAtMs: integer('last_at_ms'),
    lastSensor: text('last_sensor'),
  },
  (table) => [
    primaryKey({ columns: [table.day, table.keyId, table.kind, table.code] }),
    index('key_usage_rejected').on(table.day).where(sql`kind = 'rejected'`),
    check('key_usage_valid', sql.raw(usageChecks)),
  ],
);

/** The audit chain. AUTOINCREMENT keeps the highest number ever assigned, so that a cut tail is found. */
export const audit = sqliteTable(
  'audit',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    tenantId: text('tenant_id'),
    atMs: integer('at_ms').notNull(),
    action: text('action').$type<AuditDraft['action']>().notNull(),
    actorId: text('actor_id'),
    actorLogin: text('actor_login'),
    osAccount: text('os_account').notNull(),
    target: text('target').notNull(),
    outcome: text('outcome').$type<AuditDraft['outcome']>().notNull(),
    detail: text('detail', { mode: 'json' }).$type<AuditDraft['detail']>().notNull(),
    previousHash: text('previous_hash').notNull(),
    hash: text('hash').notNull(),
  },
  (table) => [index('audit_tenant').on(table.tenantId, table.seq)],
);

export const daemons = sqliteTable('daemons', {
  pid: integer('pid').primaryKey(),
  baseUrl: text('base_url').notNull(),
  sinceMs: integer('since_ms').notNull(),
  version: text('version'),
});

/** Removed entities whose records and readings may still be in the other files. */
export const purges = sqliteTable('purges', {
  entityId: text('entity_id').primaryKey(),
});

/** Numbers that change in the same commit as other rows, such as how far the outbox of imports was emptied. */
export const marks = sqliteTable('marks', {
  name: text('name').primaryKey(),
  value: integer('value').notNull(),
});
