import { sql } from 'drizzle-orm';
import { usageKinds } from '../../src/core/port/usage.ts';
import { latestDateMs } from '../../src/core/time/instants.ts';
import { dayMs } from '../../src/core/time/spans.ts';
import type { TableKit } from './kits.ts';

/** The most characters of a code and of the name of a sensor; a daemon cuts longer names. */
const longestCode = 64;
const longestSensor = 256;

/** SQL for what holds for every row of usage, in both engines. No count exceeds what a double represents exactly. */
const usageChecks = [
  `day between ${-latestDateMs / dayMs} and ${latestDateMs / dayMs}`,
  `kind in (${usageKinds.map((kind) => `'${kind}'`).join(', ')})`,
  `length(code) <= ${longestCode}`,
  `count between 0 and ${Number.MAX_SAFE_INTEGER}`,
  `coalesce(last_at_ms, 0) between ${-latestDateMs} and ${latestDateMs}`,
  `length(coalesce(last_sensor, '')) <= ${longestSensor}`,
].join(' and ');

type OwnColumns = Partial<
  Record<'tenants' | 'keys', Record<string, ReturnType<TableKit['text' | 'whole']>>>
>;

export function registryTables(kit: TableKit, own: OwnColumns = {}) {
  const { table, text, bytes, integer, whole, seq, index, uniqueIndex, primaryKey, check } = kit;

  const tenants = table('tenants', {
    id: bytes('id').primaryKey(),
    name: text('name').notNull(),
    weekStart: text('week_start').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    /** Readings older than this are dropped; null = kept forever. */
    retainReadingsDays: integer('retain_readings_days'),
    ...own.tenants,
  });
  const ofTenant = () =>
    bytes('tenant_id')
      .notNull()
      .references(() => tenants.id);

  const users = table(
    'users',
    {
      id: bytes('id').primaryKey(),
      tenantId: ofTenant(),
      login: bytes('login').notNull().unique('users_login_unique'),
      name: text('name').notNull(),
      role: text('role').notNull(),
      status: text('status').notNull(),
      createdAtMs: whole('created_at_ms').notNull(),
      /** The entities to which the user is confined, as a JSON list of ids; null = none of them. */
      entityIds: text('entity_ids'),
    },
    ({ tenantId, login }) => [index('users_tenant').on(tenantId, login)],
  );

  const entities = table(
    'entities',
    {
      id: bytes('id').primaryKey(),
      tenantId: ofTenant(),
      code: bytes('code').notNull(),
      name: text('name').notNull(),
      timezone: text('timezone').notNull(),
      status: text('status').notNull(),
      createdAtMs: whole('created_at_ms').notNull(),
    },
    ({ tenantId, code }) => [uniqueIndex('entities_code').on(tenantId, code)],
  );

  const keys = table(
    'keys',
    {
      id: bytes('id').primaryKey(),
      tenantId: ofTenant(),
      prefix: bytes('prefix').notNull().unique('keys_prefix_unique'),
      secretHash: bytes('secret_hash').notNull().unique('keys_secret_hash_unique'),
      name: text('name').notNull(),
      permissions: text('permissions').notNull(),
      entityId: bytes('entity_id').references(() => entities.id, { onDelete: 'set null' }),
      createdBy: bytes('created_by')
        .notNull()
        .references(() => users.id),
      createdAtMs: whole('created_at_ms').notNull(),
      expiresAtMs: whole('expires_at_ms'),
      revokedAtMs: whole('revoked_at_ms'),
      revokedBy: bytes('revoked_by').references(() => users.id),
      rotatedFrom: bytes('rotated_from'),
      rotatedTo: bytes('rotated_to'),
      /** Networks that the key may be used from, in CIDR notation; empty = from anywhere. */
      allowedIps: text('allowed_ips').notNull().default(sql`'[]'`),
      note: text('note'),
      ...own.keys,
    },
    ({ tenantId, createdAtMs, id, entityId, createdBy, expiresAtMs }) => {
      const live = sql`revoked_at_ms is null`;
      return [
        index('keys_newest').on(tenantId, createdAtMs, id),
        index('keys_newest_live').on(tenantId, createdAtMs, id).where(live),
        index('keys_live_of_entity').on(entityId, createdAtMs).where(live),
        index('keys_live_of_user').on(createdBy, createdAtMs).where(live),
        index('keys_live_expiring').on(tenantId, expiresAtMs).where(live),
        index('keys_of_entity').on(entityId),
      ];
    },
  );

  /** What keys did, by day. Days come first, so that old ones are removed as one range. */
  const keyUsage = table(
    'key_usage',
    {
      /** Days from 1970-01-01 to the day of the entity. */
      day: integer('day').notNull(),
      keyId: bytes('key_id').notNull(),
      kind: bytes('kind').notNull(),
      code: bytes('code').notNull(),
      count: whole('count').notNull(),
      lastAtMs: whole('last_at_ms'),
      lastSensor: text('last_sensor'),
    },
    ({ day, keyId, kind, code }) => [
      primaryKey({ columns: [day, keyId, kind, code] }),
      index('key_usage_rejected').on(day).where(sql`kind = 'rejected'`),
      // A daemon's log-in to PostgreSQL may write into this table: what it cannot be given here, nothing that reads has to expect.
      check('key_usage_valid', sql.raw(usageChecks)),
    ],
  );

  const audit = table(
    'audit',
    {
      seq: seq('seq'),
      tenantId: text('tenant_id'),
      atMs: whole('at_ms').notNull(),
      action: text('action').notNull(),
      actorId: text('actor_id'),
      actorLogin: text('actor_login'),
      osAccount: text('os_account').notNull(),
      target: text('target').notNull(),
      outcome: text('outcome').notNull(),
      detail: text('detail').notNull(),
      previousHash: text('previous_hash').notNull(),
      hash: text('hash').notNull(),
    },
    ({ tenantId, seq }) => [index('audit_tenant').on(tenantId, seq)],
  );

  /** Removed entities whose records and readings may still be there. */
  const purges = table('purges', { entityId: bytes('entity_id').primaryKey() });

  /** Numbers that change in the same commit as other rows, such as the samples of the clock. */
  const marks = table('marks', {
    name: text('name').primaryKey(),
    value: whole('value').notNull(),
  });

  return { tenants, users, entities, keys, keyUsage, audit, purges, marks };
}
