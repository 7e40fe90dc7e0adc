import {
  customType,
  doublePrecision,
  integer,
  pgTable,
  primaryKey,
  smallint,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { bytewiseText, postgresKit, wholeNumber } from '../kits/postgres.ts';
import { heartbeatTable } from '../readings.ts';

/** The tables that SQLite has in its readings database, too; series are numbered by entity here. */
export const heartbeats = heartbeatTable(postgresKit, {
  entity: postgresKit.integer('entity').notNull(),
});

/** The sensors of an entity that have a number, assigned under the lock of the entity's row in `record_entities`. */
export const series = pgTable(
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
  ({ entity, series, atUs }) => [primaryKey({ columns: [entity, series, atUs] })],
);

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** Sums of the quarters of an hour of a UTC day of a series, whose readings retention has dropped, up to the last one at `dropped_us`. */
export const daySums = pgTable(
  'day_sums',
  {
    entity: integer('entity').notNull(),
    series: integer('series').notNull(),
    dayUs: wholeNumber('day_us').notNull(),
    droppedUs: wholeNumber('dropped_us').notNull(),
    body: bytes('body').notNull(),
  },
  ({ entity, series, dayUs }) => [primaryKey({ columns: [entity, series, dayUs] })],
);

/** For each entity the instant before which retention has replaced its readings by sums. */
export const drops = pgTable('drops', {
  entity: integer('entity').primaryKey(),
  untilUs: wholeNumber('until_us').notNull(),
});
