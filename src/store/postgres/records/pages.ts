import type { ResourceDefinition } from '../../../core/fields/fields.ts';
import type { RecordCondition } from '../../../core/port/records.ts';
import type { PageDialect } from '../../records/pages.ts';
import { tableName } from '../../records/tables.ts';
import { jsonColumnsOf } from './tables.ts';

/**
 * A page walks an index in its order, never anything else: without statistics, as after an import, the planner would scan and
 * sort all records of an entity for a page.
 */
export const inOrder = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  plan_cache_mode: 'force_generic_plan',
} as const;

export const pageDialect: PageDialect = {
  entity: '$1',
  walked: (table) => table,
  records: (fields, from) =>
    `select row_to_json(r)::text as json from (select ${jsonColumnsOf(fields)} from ${from}) as r`,
  array: 'json_build_array',
  choosesIndex: true,
};

/** SQL that counts, up to `most` each, the records of the entity `$1` that have the value of each condition, `$2`, `$3` and so on. */
export function countSql(resource: ResourceDefinition, conditions: readonly RecordCondition[], most: number): string {
  const counts = conditions.map(({ field }, n) => {
    const terms = `entity = $1 and "${field}" >= $${n + 2} and "${field}" <= $${n + 2}`;
    return `(select count(*) from (select 1 from ${tableName(resource)} where ${terms} order by "${field}", id limit ${most}) as c)`;
  });
  return `select array[${counts.join(', ')}]::int4[] as counts`;
}
