import { errnoOf } from '../../../core/errno.ts';
import type { ImportColumn } from '../../../core/fields/import-batch.ts';
import { memoizeBy } from '../../../core/memoize.ts';
import type { Connection, Statement } from '../../sqlite-file/driver.ts';

/** Rows in one statement: the call of a statement costs as much as a row. */
const rowsPerStatement = 32;

/** Number of statements kept prepared; each set of columns with a shared value needs its own. */
const keptStatements = 16;

/** A value that all rows of a batch share is bound once. `repeated` receives each row whose key existed already. */
export function createInserter(connection: Connection, table: string, names: readonly string[]) {
  const statementFor = memoizeBy<Statement>(keptStatements);
  const changes = connection.prepare<[], number>('select changes()').pluck();
  const prepare = (isShared: readonly boolean[], count: number) =>
    connection.prepare<unknown[]>(insertSql(table, names, isShared, count));
  return (
    columns: readonly ImportColumn[],
    rows: number,
    repeated: (row: number) => void,
  ): void => {
    const isShared = columns.map(({ length }) => length === 1);
    const shared = columns.flatMap((column) => (column.length === 1 ? column : []));
    const varying = columns.filter(({ length }) => length > 1);
    for (let at = 0; at < rows; at++) {
      const count = rows - at < rowsPerStatement ? 1 : rowsPerStatement;
      try {
        statementFor(`${count} ${isShared.join()}`, () => prepare(isShared, count)).run(
          ...valuesOf(shared, varying, at, count),
        );
        at += count - 1;
      } catch (thrown) {
        if (errnoOf(thrown) !== 'SQLITE_CONSTRAINT_PRIMARYKEY') throw thrown;
        at += changes.get() ?? 0;
        repeated(at);
      }
    }
  };
}

/** The shared values, then the rest row by row; as arguments, which the driver binds at half the cost of an array. */
function valuesOf(
  shared: readonly unknown[],
  varying: readonly ImportColumn[],
  at: number,
  count: number,
): unknown[] {
  const width = varying.length;
  const values: unknown[] = new Array(shared.length + count * width);
  let next = 0;
  for (const value of shared) values[next++] = value;
  for (let row = at; row < at + count; row++) {
    for (let i = 0; i < width; i++) values[next++] = (varying[i] as ImportColumn)[row]; // i is within
  }
  return values;
}

/** If a row fails, the rows before it stay (`or fail`): undoing them would cost a journal for each statement. */
function insertSql(
  table: string,
  names: readonly string[],
  isShared: readonly boolean[],
  rows: number,
): string {
  let varying = 0;
  const expressions = isShared.map((shared) => (shared ? '?' : `column${++varying}`)).join(', ');
  const row = `(${new Array(varying).fill('?').join(', ')})`;
  const from = varying === 0 ? '' : ` from (values ${new Array(rows).fill(row).join(', ')})`;
  const columns = names.map((name) => `"${name}"`).join(', ');
  return `insert or fail into ${table} (${columns}) select ${expressions}${from}`;
}
