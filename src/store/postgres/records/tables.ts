import { boolean, index, integer, numeric, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { allFields, type Field, type Fields, type ResourceDefinition } from '../../../core/fields/fields.ts';
import { columnNamed, indexedFields, indexName, isNeverNull, tableName } from '../../records/tables.ts';
import { bytewiseText, wholeNumber } from '../connection/column-types.ts';

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

/** SQL for the columns of a record's JSON: what row_to_json writes of them has the same bytes as the JSON of SQLite. */
export function jsonColumnsOf(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, field]) => `${jsonValueOf(name, field)} as "${name}"`)
    .join(', ');
}

function jsonValueOf(name: string, { kind }: Field): string {
  if (kind === 'list') return `"${name}"::json`;
  if (kind !== 'decimal') return `"${name}"`;
  // Very large and very small numbers have an exponent, of at least two digits, and at least one digit after the point.
  const digits = `regexp_replace(trim(to_char("${name}", '9.9999999999999999EEEE')), '(\\.\\d+?)0*e', '\\1e')`;
  return `case when abs("${name}") >= 1e17 or (abs("${name}") < 1e-4 and "${name}" <> 0)
    then ${digits}::json else to_json("${name}") end`;
}
