import type { PageDialect } from '../../records/pages.ts';
import { jsonColumnsOf } from './tables.ts';

export const pageDialect: PageDialect = {
  entity: '$1',
  firstChange: () => "''",
  walked: (table) => table,
  records: (fields, from) =>
    `select row_to_json(r)::text as json from (select ${jsonColumnsOf(fields)} from ${from}) as r`,
  array: 'json_build_array',
  choosesIndex: true,
};
