import { sql } from 'drizzle-orm/sql';
import {
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { sqliteKit } from '../kits/sqlite.ts';
import { heartbeatTable } from '../readings.ts';

/** The tables of the readings database. */
export const heartbeats = heartbeatTable(sqliteKit);

/** A sensor's number, assigned when the sensor is first seen: shorter in each reading than its id. */
export const series = sqliteTable(
  'series',
  {
    series: integer('series').primaryKey({ autoIncrement: true }),
    entityId: text('entity_id').notNull(),
    sensorId: text('sensor_id').notNull(),
  },
  ({ entityId, sensorId }) => [uniqueIndex('series_sensor').on(entityId, sensorId)],
);

/**
 * The write buffer: readings of many series, and removed ranges. The newest row stays, so that no id is used again; once in
 * chunks, without its body.
 */
export const log = sqliteTable('log', {
  id: integer('id').primaryKey(),
  body: blob('body').notNull(),
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
    body: blob('body').notNull(),
  },
  ({ series, fromUs }) => [uniqueIndex('chunks_series').on(series, fromUs)],
);

/**
 * Sums of the quarters of an hour of a UTC day of a series, made of its chunks; without a body they wait to be made. Retention leaves
 * them, with the instant of the last reading that it has dropped.
 */
export const daySums = sqliteTable(
  'day_sums',
  {
    series: integer('series').notNull(),
    dayUs: integer('day_us').notNull(),
    droppedUs: integer('dropped_us'),
    body: blob('body'),
  },
  ({ series, dayUs }) => [
    primaryKey({ columns: [series, dayUs] }),
    index('day_sums_waiting').on(series, dayUs).where(sql`body is null`),
    index('day_sums_dropped').on(series, dayUs).where(sql`dropped_us is not null`),
  ],
);

/** For each entity the instant before which retention has replaced its readings by sums. */
export const drops = sqliteTable('drops', {
  entityId: text('entity_id').primaryKey(),
  untilUs: integer('until_us').notNull(),
});
