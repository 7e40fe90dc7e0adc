import { doublePrecision, integer, pgTable, primaryKey, smallint, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytewiseText, wholeNumber } from './column-types.ts';

/** The sensors of an entity that have a number, assigned under the lock of the entity's row in `record_entities`. */
export const series = pgTable(
  'series',
  {
    entity: integer('entity').notNull(),
    series: integer('series').notNull(),
    sensorId: bytewiseText('sensor_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.entity, table.series] }),
    uniqueIndex('series_sensor').on(table.entity, table.sensorId),
  ],
);

export const readings = pgTable(
  'readings',
  {
    entity: integer('entity').notNull(),
    series: integer('series').notNull(),
    atUs: wholeNumber('at_us').notNull(),
    value: doublePrecision('value').notNull(),
    quality: smallint('quality').notNull(),
  },
  (table) => [primaryKey({ columns: [table.entity, table.series, table.atUs] })],
);

export const heartbeats = pgTable(
  'heartbeats',
  {
    entity: integer('entity').notNull(),
    series: integer('series').notNull(),
    atUs: wholeNumber('at_us').notNull(),
    status: text('status'),
    battery: doublePrecision('battery'),
    signal: doublePrecision('signal'),
    firmware: text('firmware'),
  },
  (table) => [primaryKey({ columns: [table.entity, table.series, table.atUs] })],
);

export const summaries = pgTable(
  'summaries',
  {
    entity: integer('entity').notNull(),
    series: integer('series').notNull(),
    hourUs: wholeNumber('hour_us').notNull(),
    count: wholeNumber('count').notNull(),
    min: doublePrecision('min').notNull(),
    max: doublePrecision('max').notNull(),
    mean: doublePrecision('mean').notNull(),
    first: doublePrecision('first').notNull(),
    last: doublePrecision('last').notNull(),
    firstAtUs: wholeNumber('first_at_us').notNull(),
    lastAtUs: wholeNumber('last_at_us').notNull(),
  },
  (table) => [primaryKey({ columns: [table.entity, table.series, table.hourUs] })],
);

/** For each entity the instant before which its readings were dropped, and before which none is accepted any more. */
export const drops = pgTable('drops', {
  entity: integer('entity').primaryKey(),
  untilUs: wholeNumber('until_us').notNull(),
});
