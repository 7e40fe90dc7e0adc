import { integer, pgTable } from 'drizzle-orm/pg-core';
import { bytewiseText } from '../kits/postgres.ts';

/**
 * The entities that have records. Each has a short number, first in every key of its rows, and the highest number of a series of
 * readings. Its row is locked while a series is added.
 */
export const recordEntities = pgTable('record_entities', {
  number: integer('number').primaryKey().generatedAlwaysAsIdentity(),
  entityId: bytewiseText('entity_id').notNull().unique('record_entities_id_unique'),
  lastSeries: integer('last_series').notNull().default(0),
});
