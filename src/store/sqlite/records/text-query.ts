import { memoizeBy } from '../../../core/memoize.ts';
import type { Connection, Statement } from '../../sqlite-file/driver.ts';

/** Runs SQL that names its values `$1` and `$2`, prepared at its first use. `read` translates the errors of the driver. */
export function createTextQuery(connection: Connection, runTranslated: <T>(work: () => T) => T) {
  const statementFor = memoizeBy<Statement>();

  return <Row>(sql: string, values: readonly unknown[] = []): Row[] =>
    runTranslated(() => {
      const statement = statementFor(sql, () => connection.prepare(sql));
      if (statement.reader) return statement.all(toParameters(values)) as Row[]; // the columns that the text names
      statement.run(toParameters(values));
      return [];
    });
}

/** Values for `$1` and `$2`, whose names are their numbers. */
export function toParameters(values: readonly unknown[]): Record<number, unknown> {
  const parameters: Record<number, unknown> = {};
  for (let index = 0; index < values.length; index++)
    parameters[index + 1] =
      typeof values[index] === 'boolean' ? Number(values[index]) : values[index];
  return parameters;
}
