import { memoizeBy } from '../../../core/memoize.ts';
import type { RegistryStatement } from '../../shared/registry/compiled-statements.ts';
import type { Statement as PreparedStatement } from '../../sqlite-file/driver.ts';
import type { Registry } from './registry.ts';

type Readable = Pick<Registry, 'connection' | 'read'>;

/** Runs compiled statements on a connection, which prepares each at its first use. */
export function createExecutor({ connection, read }: Readable) {
  const statementFor = memoizeBy<PreparedStatement>();
  const prepareRaw = (sql: string) => {
    const statement = connection.prepare(sql);
    return statement.reader ? statement.raw() : statement;
  };

  return {
    query: <Row>(statement: RegistryStatement<Row>, values: object = {}): Row[] =>
      read(() => {
        const { text, valuesOf, rowOf } = statement();
        const preparedStatement = statementFor(text, () => prepareRaw(text));
        const parameters = valuesOf(values);
        if (preparedStatement.reader) return rawRows(preparedStatement.all(parameters)).map(rowOf);

        preparedStatement.run(parameters);
        return [];
      }),
    first: <Row>(statement: RegistryStatement<Row>, values: object = {}): Row | undefined =>
      read(() => {
        const { text, valuesOf, rowOf } = statement();
        const preparedStatement = statementFor(text, () => prepareRaw(text));
        const row = preparedStatement.get(valuesOf(values));
        return row === undefined ? undefined : rowOf(row as unknown[]); // a raw row
      }),
  };
}

function rawRows(rows: unknown[]): unknown[][] {
  return rows as unknown[][]; // `raw()` returns arrays
}
