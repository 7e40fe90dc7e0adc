import { blob, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** A sensor's number, assigned when the sensor is first seen: shorter in each reading than its id. */
export const series = sqliteTable(
  'series',
  {
    series: integer('series').primaryKey({ autoIncrement: true }),
    entityId: text('entity_id').notNull(),
    sensorId: text('sensor_id').notNull(),
  },
  (table) => [uniqueIndex('series_sensor').on(table.entityId, table.sensorId)],
);

/** Readings of many series, and removed ranges. The newest row stays, so that no id is used again; once in chunks, without its body. */
export const log = sqliteTable('log', {
  id: integer('id').primaryKey(),
  body: blob('body', { mode: 'buffer' }).notNull(),
});

/** Readings in compressed form, each chunk of a range of one series in which no other chunk has readings; `to` is the last one. */
export const chunks = sqliteTable(
  'chunks',
  {
    id: integer('id').primaryKey(),
    series: integer('series').notNull(),
    fromUs: integer('from_us').notNull(),
    toUs: integer('to_us').notNull(),
    count: integer('count').notNull(),
    body: blob('body', { mode: 'buffer' }).notNull(),
  },
  (table) => [uniqueIndex('chunks_series').on(table.series, table.fromUs)],
);

/** Heartbeats in order of sensor and time. WITHOUT ROWID is written into the migration by hand: drizzle has no option for it. */
export const heartbeats = sqliteTable(
  'heartbeats',
  {
    series: integer('series').notNull(),
    atUs: integer('at_us').notNull(),
    status: text('status'),
    battery: real('battery'),
    signal: real('signal'),
    firmware: text('firmware'),
  },
  (table) => [primaryKey({ columns: [table.series, table.atUs] })],
);

/** Hourly summaries of dropped readings in order of sensor and time; likewise WITHOUT ROWID. */
export const summaries = sqliteTable(
  'summaries',
  {
    series: integer('series').notNull(),
    hourUs: integer('hour_us').notNull(),
    count: integer('count').notNull(),
    min: real('min').notNull(),
    max: real('max').notNull(),
    mean: real('mean').notNull(),
    first: real('first').notNull(),
    last: real('last').notNull(),
    firstAtUs: integer('first_at_us').notNull(),
    lastAtUs: integer('last_at_us').notNull(),
  },
  (table) => [primaryKey({ columns: [table.series, table.hourUs] })],
);

/** For each entity the instant before which its readings were dropped, and before which none is accepted any more. */
export const drops = sqliteTable('drops', {
  entityId: text('entity_id').primaryKey(),
  untilUs: integer('until_us').notNull(),
});
