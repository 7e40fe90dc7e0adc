import type { PageDialect } from '../../records/pages.ts';
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
  firstChange: () => "''",
  walked: (table) => table,
  records: (fields, from) =>
    `select row_to_json(r)::text as json from (select ${jsonColumnsOf(fields)} from ${from}) as r`,
  array: 'json_build_array',
  choosesIndex: true,
};
