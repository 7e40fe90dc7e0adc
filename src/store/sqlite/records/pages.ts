import type { Field, Fields } from '../../../core/fields/fields.ts';
import { memoizeBy } from '../../../core/memoize.ts';
import type { PageDialect } from '../../shared/records/pages.ts';
import type { Connection, Statement } from '../../sqlite-file/driver.ts';

/** SQL for the number of the entity whose id is bound; null for an entity without records. */
export const entityNumber = '(select number from record_entities where entity_id = ?)';

const entity = entityNumber.replace('?', '$1');

/**
 * The index is named, since the planner has no statistics. Instead of seeking a value it would walk all records in order of
 * `id`: half a second for millions. Before the first import into a store that was migrated, the index of the records shows the
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
  double: (column) => column,
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

export type RunTranslated = <T>(operation: () => T) => T;

/** Runs SQL that names its values `$1` and `$2`, prepared at its first use. `runTranslated` translates the errors of the driver. */
export function createTextQuery(connection: Connection, runTranslated: RunTranslated) {
  const statementFor = memoizeBy<Statement>();

  return <Row>(sql: string, values: readonly unknown[] = []): Row[] =>
    runTranslated(() => {
      const statement = statementFor(sql, () => connection.prepare(sql));
      const parameters = toParameters(values);
      if (statement.reader) return statement.all(parameters) as Row[]; // the columns that the SQL names

      statement.run(parameters);
      return [];
    });
}

/** Values for `$1` and `$2`, whose names are their numbers. */
export function toParameters(values: readonly unknown[]): Record<number, unknown> {
  const parameters: Record<number, unknown> = {};
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    parameters[index + 1] = typeof value === 'boolean' ? Number(value) : value;
  }
  return parameters;
}
