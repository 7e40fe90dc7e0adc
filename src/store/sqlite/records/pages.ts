import type { Field, Fields } from '../../../core/fields/fields.ts';
import type { PageDialect } from '../../shared/records/pages.ts';

/** SQL for the number of the entity whose id is bound; null for an entity without records. */
export const entityNumber = '(select number from record_entities where entity_id = ?)';

const entity = entityNumber.replace('?', '$1');

/**
 * The index is named, since the planner has no statistics and would walk all records in order of `id` instead of seeking a value:
 * half a second for millions of records. Before the first import into a store that was migrated, the index of the records shows the
 * last change: nothing can have been removed since.
 */
export const pageDialect: PageDialect = {
  entity,
  firstChange: (table) =>
    `(select updated_at from ${table} where entity = ${entity} order by updated_at desc limit 1), ''`,
  walked: (table, index) =>
    `${table} ${index === undefined ? 'not indexed' : `indexed by "${index}"`}`,
  records: (fields, fromClause) => `select ${jsonOf(fields)} as json from ${fromClause}`,
  array: 'json_array',
  choosesIndex: false,
};

function jsonOf(fields: Fields): string {
  const pairs = Object.entries(fields).map(
    ([name, field]) => `'${name}', ${jsonValueOf(name, field)}`,
  );
  return `json_object(${pairs.join(', ')})`;
}

function jsonValueOf(name: string, field: Field): string {
  if (field.kind === 'boolean')
    return `case "${name}" when 1 then json('true') when 0 then json('false') end`;
  if (field.kind === 'list') return `json("${name}")`;
  return `"${name}"`;
}
