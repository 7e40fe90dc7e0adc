import { boolean, index, integer, numeric, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { allFields, type Field, type ResourceDefinition } from '../../src/core/fields/fields.ts';
import { indexName, tableName } from '../../src/store/records/tables.ts';
import { bytewiseText, wholeNumber } from './column-types.ts';
import { columnNamed, indexedFields, isNeverNull } from './record-tables.ts';

/**
 * The entities that have records, each with a short number that comes first in every key of its rows, and the highest
 * number of a series of readings. Its row is locked while a series is added.
 */
export const recordEntities = pgTable('record_entities', {
  number: integer('number').primaryKey().generatedAlwaysAsIdentity(),
  entityId: bytewiseText('entity_id').notNull().unique('record_entities_id_unique'),
  lastSeries: integer('last_series').notNull().default(0),
});

/** How far the changes of each resource of an entity have come; no row before its first import. */
export const recordChanges = pgTable(
  'record_changes',
  {
    entity: integer('entity').notNull(),
    resource: bytewiseText('resource').notNull(),
    changedAt: bytewiseText('changed_at').notNull(),
    forgottenTo: bytewiseText('forgotten_to').notNull(),
  },
  (table) => [primaryKey({ columns: [table.entity, table.resource] })],
);

/** The ids of removed records, for those who mirror them. */
export const removedRecords = pgTable(
  'removed_records',
  {
    entity: integer('entity').notNull(),
    resource: bytewiseText('resource').notNull(),
    id: bytewiseText('id').notNull(),
    removedAt: bytewiseText('removed_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.entity, table.resource, table.id] }),
    index('removed_records_by_removed_at').on(table.entity, table.resource, table.removedAt, table.id),
  ],
);

/** One row once the store was restored or dates were corrected: a random name, which ends the sync tokens before it. */
export const recordEpoch = pgTable('record_epoch', { epoch: bytewiseText('epoch').primaryKey() });

/**
 * The table of a resource, derived from its declaration: a column for each field, the records of an entity in order of
 * `id`, and an index for every order of a page. The entity comes first in every key, so that Citus can distribute by it.
 */
export function toTable(resource: ResourceDefinition) {
  const name = tableName(resource);
  const columns = Object.fromEntries(
    Object.entries(allFields(resource)).map(([field, spec]) => [field, toColumn(field, spec)]),
  );
  return pgTable(name, { entity: integer('entity').notNull(), ...columns }, (table) => {
    return [
      primaryKey({ columns: [table.entity, columnNamed(table, 'id')] }),
      ...indexedFields(resource).map((field) =>
        index(indexName(resource, field)).on(table.entity, columnNamed(table, field), columnNamed(table, 'id')),
      ),
    ];
  });
}

function toColumn(name: string, field: Field) {
  const column = columnOf(name, field);
  return isNeverNull(field) ? column.notNull() : column;
}

function columnOf(name: string, field: Field) {
  if (field.kind === 'integer') return wholeNumber(name);
  // A number that keeps its zeros: it is stored with the digits that SQLite writes, such as 5.0.
  if (field.kind === 'decimal') return numeric(name);
  if (field.kind === 'boolean') return boolean(name);
  return bytewiseText(name);
}
