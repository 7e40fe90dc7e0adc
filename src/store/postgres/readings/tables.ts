import { doublePrecision, integer, pgTable, primaryKey, smallint, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytewiseText, wholeNumber } from '../connection/column-types.ts';

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

/** Readings in order of sensor and time. */
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

/** Heartbeats in order of sensor and time. */
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
