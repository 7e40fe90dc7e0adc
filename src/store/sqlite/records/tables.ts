import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { allFields, type Field, type ResourceDefinition } from '../../../core/fields/fields.ts';
import type { AuditDraft } from '../../../core/port/audit.ts';
import { columnNamed, indexedFields, indexName, isNeverNull, tableName } from '../../records/tables.ts';

/** Audit events of imports, kept in the same commit as the records until they are moved into the chain. */
export const outbox = sqliteTable('audit_outbox', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  draft: text('draft', { mode: 'json' }).$type<AuditDraft>().notNull(),
});

/** The entities that have records, each with a short number, since an entity's id would be in every entry of every index. */
export const recordEntities = sqliteTable('record_entities', {
  number: integer('number').primaryKey(),
  entityId: text('entity_id').notNull().unique(),
});

/** How far the changes of each resource of an entity have come; no row before the first import since this table exists. */
export const recordChanges = sqliteTable(
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
export const removedRecords = sqliteTable(
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
export const recordEpoch = sqliteTable('record_epoch', { epoch: text('epoch').primaryKey().notNull() });

/** SQL for the number of the entity whose id is bound; null for an entity without records. */
export const entityNumber = '(select number from record_entities where entity_id = ?)';

/** The migrations add WITHOUT ROWID, for which drizzle has no option: the table itself is in order of the primary key. */
export function toTable(resource: ResourceDefinition) {
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

export function jsonOf(fields: Readonly<Record<string, Field>>): string {
  const pairs = Object.entries(fields).map(([name, field]) => `'${name}', ${jsonValueOf(name, field)}`);
  return `json_object(${pairs.join(', ')})`;
}

function jsonValueOf(name: string, field: Field): string {
  if (field.kind === 'boolean') return `case "${name}" when 1 then json('true') when 0 then json('false') end`;
  if (field.kind === 'list') return `json("${name}")`;
  return `"${name}"`;
}
