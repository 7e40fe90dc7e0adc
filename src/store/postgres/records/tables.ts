import { boolean, doublePrecision, index, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { allFields, type Field, filterableFields, type ResourceDefinition } from '../../../core/records/fields.ts';
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

/** Name of a resource's table. */
export function tableName(resource: ResourceDefinition): string {
  return resource.name.replaceAll('-', '_');
}

/** Name of the index on a field, which serves pages in its order. */
export function indexName(resource: ResourceDefinition, field: string): string {
  return `${tableName(resource)}_by_${field}`;
}

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
    const column = (field: string) => {
      const found = table[field as keyof typeof table]; // the columns' names are known only at run time
      if (!found) throw new Error(`${resource.name} has no field ${field}`);
      return found;
    };
    return [
      primaryKey({ columns: [table.entity, column('id')] }),
      ...[...filterableFields(resource), 'updated_at'].map((field) =>
        index(indexName(resource, field)).on(table.entity, column(field), column('id')),
      ),
    ];
  });
}

function toColumn(name: string, field: Field) {
  const column = columnOf(name, field);
  return field.required || field.kind === 'list' ? column.notNull() : column;
}

function columnOf(name: string, field: Field) {
  if (field.kind === 'integer') return wholeNumber(name);
  if (field.kind === 'decimal') return doublePrecision(name);
  if (field.kind === 'boolean') return boolean(name);
  return bytewiseText(name);
}
