import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Audit events of imports, kept in the same commit as the records until they are moved into the chain. */
export const outbox = sqliteTable('audit_outbox', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  draft: text('draft').notNull(),
});

/** The entities that have records, each with a short number, since an entity's id would be in every entry of every index. */
export const recordEntities = sqliteTable('record_entities', {
  number: integer('number').primaryKey(),
  entityId: text('entity_id').notNull().unique(),
});
