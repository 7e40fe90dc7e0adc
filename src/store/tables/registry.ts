import { sql } from 'drizzle-orm/sql';
import type { SQLiteColumnBuilderBase } from 'drizzle-orm/sqlite-core';
import type { ClientPermission } from '../../core/access/permissions.ts';
import type { AuditAction, Role } from '../../core/access/roles.ts';
import type { AuditDraft } from '../../core/port/audit.ts';
import { type UsageKind, usageKinds } from '../../core/port/usage.ts';
import type { WeekDay } from '../../core/time/calendar.ts';
import { latestDateMs } from '../../core/time/instants.ts';
import { dayMs } from '../../core/time/spans.ts';
import type { TableKit } from './kits/sqlite.ts';

/** The most characters of a code and of the name of a sensor; a daemon cuts longer names. */
const longestCode = 64;
const longestSensor = 256;
const longestAddress = 64;

/** SQL for what holds for every row of usage, in both engines. No count exceeds what a double represents exactly. */
const usageChecks = [
  `day between ${-latestDateMs / dayMs} and ${latestDateMs / dayMs}`,
  `kind in (${usageKinds.map((kind) => `'${kind}'`).join(', ')})`,
  `length(code) <= ${longestCode}`,
  `count between 0 and ${Number.MAX_SAFE_INTEGER}`,
  `coalesce(last_at_ms, 0) between ${-latestDateMs} and ${latestDateMs}`,
  `length(coalesce(last_sensor, '')) <= ${longestSensor}`,
  `length(coalesce(last_address, '')) <= ${longestAddress}`,
].join(' and ');

/** Columns that one engine alone has. Statements of both engines do not know them. */
interface OwnColumns<KeyColumns> {
  tenants?: object;
  keys: KeyColumns;
}

/** The tables with the columns of both engines. */
export type RegistryTables = ReturnType<typeof registryTables<Record<never, never>>>;

/** The tables of organizations, people, keys and the audit trail. */
export function registryTables<KeyColumns extends Record<string, SQLiteColumnBuilderBase>>(
  kit: TableKit,
  engineColumns: OwnColumns<KeyColumns>,
) {
  const { table, text, anyText, bytewiseText, json, integer, wholeNumber, sequenceNumber } = kit;
  const { index, uniqueIndex, primaryKey, check } = kit;

  const tenants = table('tenants', {
    id: bytewiseText('id').primaryKey(),
    name: text('name').notNull(),
    weekStart: text('week_start').$type<WeekDay>().notNull(),
    createdAtMs: wholeNumber('created_at_ms').notNull(),
    /** Readings older than this are dropped; null = kept forever. */
    retainReadingsDays: integer('retain_readings_days'),
    /** New keys expire within so many days; null = they need not expire. */
    longestLifetimeDays: integer('longest_lifetime_days'),
    ...engineColumns.tenants,
  });
  const ofTenant = () =>
    bytewiseText('tenant_id')
      .notNull()
      .references(() => tenants.id);

  const users = table(
    'users',
    {
      id: bytewiseText('id').primaryKey(),
      tenantId: ofTenant(),
      login: bytewiseText('login').notNull().unique('users_login_unique'),
      name: text('name').notNull(),
      role: text('role').$type<Role>().notNull(),
      status: text('status').$type<'active' | 'inactive'>().notNull(),
      createdAtMs: wholeNumber('created_at_ms').notNull(),
      /** The ids of the entities to which the user is confined; null = all of the organization. */
      entityIds: json('entity_ids').$type<string[]>(),
    },
    ({ tenantId, login }) => [index('users_tenant').on(tenantId, login)],
  );

  const entities = table(
    'entities',
    {
      id: bytewiseText('id').primaryKey(),
      tenantId: ofTenant(),
      code: bytewiseText('code').notNull(),
      name: text('name').notNull(),
      timezone: text('timezone').notNull(),
      status: text('status').$type<'active' | 'inactive'>().notNull(),
      createdAtMs: wholeNumber('created_at_ms').notNull(),
    },
    ({ tenantId, code }) => [uniqueIndex('entities_code').on(tenantId, code)],
  );

  const keys = table(
    'keys',
    {
      id: bytewiseText('id').primaryKey(),
      tenantId: ofTenant(),
      prefix: bytewiseText('prefix').notNull().unique('keys_prefix_unique'),
      secretHash: bytewiseText('secret_hash').notNull().unique('keys_secret_hash_unique'),
      name: bytewiseText('name').notNull(),
      permissions: json('permissions').$type<ClientPermission[]>().notNull(),
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
      allowedIps: json('allowed_ips').$type<string[]>().notNull().default(sql`'[]'`),
      note: text('note'),
      ...engineColumns.keys,
    },
    ({ tenantId, createdAtMs, id, name, entityId, createdBy, expiresAtMs }) => {
      const live = sql`revoked_at_ms is null`;
      return [
        index('keys_newest').on(tenantId, createdAtMs, id),
        index('keys_newest_live').on(tenantId, createdAtMs, id).where(live),
        index('keys_live_of_entity').on(entityId, createdAtMs).where(live),
        index('keys_live_of_user').on(createdBy, createdAtMs).where(live),
        index('keys_live_expiring').on(tenantId, expiresAtMs).where(live),
        index('keys_live_named').on(tenantId, name).where(live),
        index('keys_of_entity').on(entityId),
      ];
    },
  );

  /** The usage of keys by day. Days come first, so that old ones are removed as one range. */
  const keyUsage = table(
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
      lastAddress: bytewiseText('last_address'),
    },
    ({ day, keyId, kind, code }) => [
      primaryKey({ columns: [day, keyId, kind, code] }),
      index('key_usage_rejected').on(day).where(sql`kind = 'rejected'`),
      index('key_usage_refused').on(day).where(sql`kind = 'refused'`),
      // A daemon's log-in to PostgreSQL may write into this table: what it cannot be given here, nothing that reads has to expect.
      check('key_usage_valid', sql.raw(usageChecks)),
    ],
  );

  const audit = table(
    'audit',
    {
      seq: sequenceNumber('seq').notNull(),
      tenantId: anyText('tenant_id'),
      atMs: wholeNumber('at_ms').notNull(),
      action: text('action').$type<AuditAction>().notNull(),
      actorId: anyText('actor_id'),
      actorLogin: anyText('actor_login'),
      osAccount: anyText('os_account').notNull(),
      target: anyText('target').notNull(),
      outcome: text('outcome').$type<AuditDraft['outcome']>().notNull(),
      detail: json('detail').$type<AuditDraft['detail']>().notNull(),
      previousHash: text('previous_hash').notNull(),
      hash: text('hash').notNull(),
    },
    ({ tenantId, seq }) => [index('audit_tenant').on(tenantId, seq)],
  );

  /** Removed entities whose records and readings may still be there. */
  const purges = table('purges', { entityId: bytewiseText('entity_id').primaryKey() });

  /** Numbers that change in the same commit as other rows, such as the samples of the clock. */
  const marks = table('marks', {
    name: text('name').primaryKey(),
    value: wholeNumber('value').notNull(),
  });

  /** Steps that rotations and creations have yet to take, and leases on keys whose next secret is being delivered. */
  const pendingSteps = table(
    'pending_steps',
    {
      keyId: bytewiseText('key_id').notNull(),
      place: bytewiseText('place').notNull(),
      step: bytewiseText('step').$type<'exec' | 'deliver' | 'lease'>().notNull(),
      command: text('command'),
      holder: text('holder'),
      untilMs: wholeNumber('until_ms'),
    },
    ({ keyId, place, step }) => [primaryKey({ columns: [keyId, place, step] })],
  );

  return { tenants, users, entities, keys, keyUsage, audit, purges, marks, pendingSteps };
}
