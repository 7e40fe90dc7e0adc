import { integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

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

/** Readings in order of sensor and time. WITHOUT ROWID is written into the migration by hand: drizzle has no option for it. */
export const readings = sqliteTable(
  'readings',
  {
    series: integer('series').notNull(),
    atUs: integer('at_us').notNull(),
    value: real('value').notNull(),
    quality: integer('quality').notNull(),
  },
  (table) => [primaryKey({ columns: [table.series, table.atUs] })],
);

/** Heartbeats in order of sensor and time; likewise WITHOUT ROWID. */
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
