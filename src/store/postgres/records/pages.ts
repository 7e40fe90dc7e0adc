import type { Field, Fields } from '../../../core/fields/fields.ts';
import type { PageDialect } from '../../shared/records/pages.ts';

export const pageDialect: PageDialect = {
  entity: '$1',
  firstChange: () => "''",
  walked: (table) => table,
  records: (fields, from) =>
    `select row_to_json(r)::text as json from (select ${jsonColumnsOf(fields)} from ${from}) as r`,
  array: 'json_build_array',
  double: (column) => `${column}::float8`,
  choosesIndex: true,
};

/** SQL for the columns of a record's JSON: what row_to_json writes of them has the same bytes as the JSON of SQLite. */
function jsonColumnsOf(fields: Fields): string {
  return Object.entries(fields)
    .map(([column, field]) => `${jsonValueOf(column, field)} as "${column}"`)
    .join(', ');
}

function jsonValueOf(column: string, { kind }: Field): string {
  if (kind === 'list') return `"${column}"::json`;
  if (kind !== 'decimal') return `"${column}"`;
  // Very large and very small numbers have an exponent, of at least two digits, and at least one digit after the point.
  const digits = `regexp_replace(trim(to_char("${column}", '9.9999999999999999EEEE')), '(\\.\\d+?)0*e', '\\1e')`;
  return `case when abs("${column}") >= 1e17 or (abs("${column}") < 1e-4 and "${column}" <> 0)
    then ${digits}::json else to_json("${column}") end`;
}
