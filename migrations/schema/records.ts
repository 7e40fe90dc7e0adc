import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { allFields, type Field, type ResourceDefinition } from '../../src/core/fields/fields.ts';
import { resources } from '../../src/resources/index.ts';
import { indexName, tableName } from '../../src/store/records/tables.ts';
import { columnNamed, indexedFields, isNeverNull } from './record-tables.ts';

/** Audit events of imports, kept in the same commit as the records until they are moved into the chain. */
const outbox = sqliteTable('audit_outbox', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  draft: text('draft', { mode: 'json' }).notNull(),
});

/** The entities that have records, each with a short number, since an entity's id would be in every entry of every index. */
const recordEntities = sqliteTable('record_entities', {
  number: integer('number').primaryKey(),
  entityId: text('entity_id').notNull().unique(),
});

/** How far the changes of each resource of an entity have come; no row before the first import since this table exists. */
const recordChanges = sqliteTable(
  'record_changes',
  {
    entity: integer('entity').notNull(),
    resource: text('resource').notNull(),
    changedAt: text('changed_at').notNull(),
    forgottenTo: text('forgotten_to').notNull(),
  },
  (table) => [primaryKey({ columns: [table.entity, table.resource] })],
);

/** The ids of removed records, for those who mirror them. The migrations add WITHOUT ROWID here, too. */
const removedRecords = sqliteTable(
  'removed_records',
  {
    entity: integer('entity').notNull(),
    resource: text('resource').notNull(),
    id: text('id').notNull(),
    removedAt: text('removed_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.entity, table.resource, table.id] }),
    index('removed_records_by_removed_at').on(table.entity, table.resource, table.removedAt, table.id),
  ],
);

/** One row once the store was restored or dates were corrected: a random name, which ends the sync tokens before it. */
const recordEpoch = sqliteTable('record_epoch', { epoch: text('epoch').primaryKey().notNull() });

/** The migrations add WITHOUT ROWID, for which drizzle has no option: the table itself is in order of the primary key. */
function toTable(resource: ResourceDefinition) {
  const name = tableName(resource);
  const columns = Object.fromEntries(
    Object.entries(allFields(resource)).map(([field, spec]) => [field, toColumn(field, spec)]),
  );
  return sqliteTable(name, { entity: integer('entity').notNull(), ...columns }, (table) => {
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
  if (field.kind === 'integer') return integer(name);
  if (field.kind === 'decimal') return real(name);
  if (field.kind === 'boolean') return integer(name, { mode: 'boolean' });
  return text(name);
}

/** The tables of the records database, for drizzle-kit: one for each declared resource, their entities, their changes, and the outbox. */
module.exports = {
  outbox,
  recordEntities,
  recordChanges,
  removedRecords,
  recordEpoch,
  ...Object.fromEntries(resources.map((resource) => [tableName(resource), toTable(resource)])),
};
