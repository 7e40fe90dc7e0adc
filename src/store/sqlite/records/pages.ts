import type { PageDialect } from '../../records/pages.ts';
import { entityNumber, jsonOf } from './tables.ts';

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
  walked: (table, index) => `${table} ${index === undefined ? 'not indexed' : `indexed by "${index}"`}`,
  records: (fields, from) => `select ${jsonOf(fields)} as json from ${from}`,
  array: 'json_array',
  choosesIndex: false,
};
