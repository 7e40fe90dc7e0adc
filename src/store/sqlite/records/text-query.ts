import { memoizeBy } from '../../../core/memoize.ts';
import type { Connection, Statement } from '../../sqlite-file/driver.ts';

/** Runs SQL that names its values `$1` and `$2`, prepared at its first use. `read` translates the errors of the driver. */
export function createTextQuery(connection: Connection, read: <T>(work: () => T) => T) {
  const prepared = memoizeBy<Statement>();

  return <Row>(text: string, values: readonly unknown[] = []): Row[] =>
    read(() => {
      const statement = prepared(text, () => connection.prepare(text));
      if (statement.reader) return statement.all(toParameters(values)) as Row[]; // the columns that the text names
      statement.run(toParameters(values));
      return [];
    });
}

/** Values for `$1` and `$2`, whose names are their numbers. */
export function toParameters(values: readonly unknown[]): Record<number, unknown> {
  const parameters: Record<number, unknown> = {};
  for (let n = 0; n < values.length; n++)
    parameters[n + 1] = typeof values[n] === 'boolean' ? Number(values[n]) : values[n];
  return parameters;
}
