import { memoizeBy } from '../../../core/memoize.ts';
import type { Connection, Statement } from '../../sqlite-file/driver.ts';

/** Runs an operation of the driver and translates its errors. */
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
