import {
  boolean,
  doublePrecision,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { bytewiseText, postgresKit, type TableKit, wholeNumber } from './kits.ts';
import { readingTables } from './reading-tables.ts';
import { recordTables } from './record-tables.ts';
import { registryTables } from './registry-tables.ts';

/** The order in which organizations were made. */
const tenantNumber = integer('number').notNull().generatedAlwaysAsIdentity();

/** The tables of a store on PostgreSQL, for drizzle-kit. */
module.exports = {
  ...registryTables(postgresKit, {
    tenants: { number: tenantNumber as unknown as ReturnType<TableKit['whole']> },
  }),
  ...recordTables(postgresKit),
  ...readingTables(postgresKit, () => ({ entity: postgresKit.integer('entity').notNull() })),

  /** Time of last use of a key, apart from it, so that daemons need no right to change keys. */
  keyUses: pgTable('key_uses', {
    keyId: bytewiseText('key_id').primaryKey(),
    lastUsedAtMs: wholeNumber('last_used_at_ms').notNull(),
    lastUsedIp: text('last_used_ip'),
  }),

  /** The one row that every append to the audit chain locks: the highest number ever assigned. */
  auditHead: pgTable('audit_head', {
    one: boolean('one').primaryKey().default(true),
    lastSeq: wholeNumber('last_seq').notNull(),
  }),

  /** Numbers that grow in the transaction of each change: `keys` for the registry, `records` for records. */
  generations: pgTable('generations', {
    name: text('name').primaryKey(),
    value: wholeNumber('value').notNull(),
  }),

  /** Daemons that serve the store; one is alive while its last heartbeat is recent. */
  daemons: pgTable('daemons', {
    id: text('id').primaryKey(),
    pid: integer('pid').notNull(),
    baseUrl: text('base_url'),
    sinceMs: wholeNumber('since_ms').notNull(),
    seenAtMs: wholeNumber('seen_at_ms').notNull(),
    version: text('version'),
  }),

  /** Requests that a daemon has counted against a limit in one window. */
  limitCounts: pgTable('limit_counts', {
    id: text('id').primaryKey(),
    endsAtMs: wholeNumber('ends_at_ms').notNull(),
    count: wholeNumber('count').notNull(),
  }),

  /**
   * Lines of the journal that SQLite keeps in a file next to its store: with them a restore brings back nothing that was stopped. The
   * rows of keys, users and entities contain what is stopped now: a line is written when such a row is deleted.
   */
  journal: pgTable('journal', {
    number: wholeNumber('number').primaryKey().generatedAlwaysAsIdentity(),
    line: text('line').notNull(),
  }),

  /** The one row that shows that a schema holds a store, of which version. */
  storeVersion: pgTable('store_version', {
    one: boolean('one').primaryKey().default(true),
    version: integer('version').notNull(),
  }),

  /**
   * The entities that have records, each with a short number that comes first in every key of its rows, and the highest
   * number of a series of readings. Its row is locked while a series is added.
   */
  recordEntities: pgTable('record_entities', {
    number: integer('number').primaryKey().generatedAlwaysAsIdentity(),
    entityId: bytewiseText('entity_id').notNull().unique('record_entities_id_unique'),
    lastSeries: integer('last_series').notNull().default(0),
  }),

  /** The sensors of an entity that have a number, assigned under the lock of the entity's row in `record_entities`. */
  series: pgTable(
    'series',
    {
      entity: integer('entity').notNull(),
      series: integer('series').notNull(),
      sensorId: bytewiseText('sensor_id').notNull(),
    },
    ({ entity, series, sensorId }) => [
      primaryKey({ columns: [entity, series] }),
      uniqueIndex('series_sensor').on(entity, sensorId),
    ],
  ),

  readings: pgTable(
    'readings',
    {
      entity: integer('entity').notNull(),
      series: integer('series').notNull(),
      atUs: wholeNumber('at_us').notNull(),
      value: doublePrecision('value').notNull(),
      quality: smallint('quality').notNull(),
    },
    ({ entity, series, atUs }) => [primaryKey({ columns: [entity, series, atUs] })],
  ),

  /** For each entity the instant before which retention has replaced its readings by hourly summaries. */
  drops: pgTable('drops', {
    entity: integer('entity').primaryKey(),
    untilUs: wholeNumber('until_us').notNull(),
  }),
};
