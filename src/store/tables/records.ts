import {
  allFields,
  type Field,
  indexedFields,
  type ResourceDefinition,
} from '../../core/fields/fields.ts';
import type { TableKit } from './kits/sqlite.ts';
import { indexName, tableName } from './record-names.ts';

/** A table for each declared resource, and the tables about changes of their records. */
export function recordTables(kit: TableKit, resources: readonly ResourceDefinition[]) {
  const { table, bytewiseText, integer, index, primaryKey } = kit;

  /** How far the changes of each resource of an entity have come; no row before the first import since this table exists. */
  const recordChanges = table(
    'record_changes',
    {
      entity: integer('entity').notNull(),
      resource: bytewiseText('resource').notNull(),
      changedAt: bytewiseText('changed_at').notNull(),
      forgottenTo: bytewiseText('forgotten_to').notNull(),
    },
    ({ entity, resource }) => [primaryKey({ columns: [entity, resource] })],
  );

  /** The ids of removed records, for those who mirror them. */
  const removedRecords = table(
    'removed_records',
    {
      entity: integer('entity').notNull(),
      resource: bytewiseText('resource').notNull(),
      id: bytewiseText('id').notNull(),
      removedAt: bytewiseText('removed_at').notNull(),
    },
    ({ entity, resource, id, removedAt }) => [
      primaryKey({ columns: [entity, resource, id] }),
      index('removed_records_by_removed_at').on(entity, resource, removedAt, id),
    ],
  );

  /** A single row once the store was restored or dates were corrected: the random name of a timeline, which ends the sync tokens before it. */
  const timelines = table('record_epoch', {
    name: bytewiseText('epoch').primaryKey().notNull(),
  });

  const ofResources = resources.map(
    (resource) => [tableName(resource), toTable(kit, resource)] as const,
  );
  return { recordChanges, removedRecords, timelines, ...Object.fromEntries(ofResources) };
}

/**
 * The table of a resource, derived from its declaration: a column for each field, and an index for every order of a page. The
 * records of an entity are in order of `id`. The entity comes first in every key, so that Citus can distribute by it. The
 * migrations of SQLite add WITHOUT ROWID, for which drizzle has no option: the table itself is in order of the primary key.
 */
function toTable(kit: TableKit, resource: ResourceDefinition) {
  const columns = Object.fromEntries(
    Object.entries(allFields(resource)).map(([field, spec]) => [field, toColumn(kit, field, spec)]),
  );
  const withEntity = { entity: kit.integer('entity').notNull(), ...columns };
  return kit.table(tableName(resource), withEntity, (table) => [
    kit.primaryKey({ columns: [table.entity, columnNamed(table, 'id')] }),
    ...indexedFields(resource)
      .filter((field) => field !== 'id')
      .map((field) =>
        kit
          .index(indexName(resource, field))
          .on(table.entity, columnNamed(table, field), columnNamed(table, 'id')),
      ),
  ]);
}

function toColumn(
  { wholeNumber, decimal, boolean, bytewiseText }: TableKit,
  name: string,
  { kind, required }: Field,
) {
  const types = { integer: wholeNumber, decimal, boolean };
  const column =
    kind === 'integer' || kind === 'decimal' || kind === 'boolean'
      ? types[kind](name)
      : bytewiseText(name);
  return required === true || kind === 'list' ? column.notNull() : column;
}

/** The column of a field in a table under construction, whose names are known only at run time. */
function columnNamed<T extends object>(table: T, name: string): T[keyof T] {
  const column = table[name as keyof T]; // undefined for another name
  if (!column) throw new Error(`there is no column ${name}`);
  return column;
}
