import { errnoOf } from '../../../core/errno.ts';
import type { ImportColumn } from '../../../core/fields/import-batch.ts';
import { memoizeBy } from '../../../core/memoize.ts';
import type { Connection, Statement } from '../../sqlite-file/driver.ts';

const rowsPerStatement = 32;

/** Number of statements kept prepared; each set of columns with a shared value needs its own. */
const maxKeptStatements = 16;

/** A value that all rows of a batch share is bound once. `onRepeated` receives each row whose key existed already. */
export function createInserter(
  connection: Connection,
  table: string,
  columnNames: readonly string[],
) {
  const statementFor = memoizeBy<Statement>(maxKeptStatements);
  const changes = connection.prepare<[], number>('select changes()').pluck();
  const prepare = (isShared: readonly boolean[], statementRows: number) =>
    connection.prepare<unknown[]>(insertSql(table, columnNames, isShared, statementRows));

  return (
    columns: readonly ImportColumn[],
    rowCount: number,
    onRepeated: (row: number) => void,
  ): void => {
    const isShared = columns.map(({ length }) => length === 1);
    const sharedValues = columns.flatMap((column) => (column.length === 1 ? column : []));
    const varyingColumns = columns.filter(({ length }) => length > 1);

    for (let firstRow = 0; firstRow < rowCount; firstRow++) {
      const statementRows = rowCount - firstRow < rowsPerStatement ? 1 : rowsPerStatement;
      try {
        const shape = `${statementRows} ${isShared.join()}`;
        const insertion = statementFor(shape, () => prepare(isShared, statementRows));
        insertion.run(...valuesOf(sharedValues, varyingColumns, firstRow, statementRows));
        firstRow += statementRows - 1;
      } catch (thrown) {
        if (errnoOf(thrown) !== 'SQLITE_CONSTRAINT_PRIMARYKEY') throw thrown;
        firstRow += changes.get() ?? 0;
        onRepeated(firstRow);
      }
    }
  };
}

/** The shared values, then the rest row by row. */
function valuesOf(
  sharedValues: readonly unknown[],
  varyingColumns: readonly ImportColumn[],
  firstRow: number,
  statementRows: number,
): unknown[] {
  const width = varyingColumns.length;
  const values: unknown[] = new Array(sharedValues.length + statementRows * width);
  let valueIndex = 0;

  for (const value of sharedValues) values[valueIndex++] = value;
  for (let rowIndex = firstRow; rowIndex < firstRow + statementRows; rowIndex++) {
    for (let columnIndex = 0; columnIndex < width; columnIndex++)
      values[valueIndex++] = (varyingColumns[columnIndex] as ImportColumn)[rowIndex]; // columnIndex is within
  }
  return values;
}

/** If a row fails, the rows before it stay (`or fail`). */
function insertSql(
  table: string,
  columnNames: readonly string[],
  isShared: readonly boolean[],
  statementRows: number,
): string {
  let varyingCount = 0;
  const expressions = isShared
    .map((shared) => (shared ? '?' : `column${++varyingCount}`))
    .join(', ');
  const quotedColumns = columnNames.map((name) => `"${name}"`).join(', ');

  const rowPlaceholders = `(${repeated('?', varyingCount)})`;
  const rowValues = repeated(rowPlaceholders, statementRows);
  const valuesClause = varyingCount === 0 ? '' : ` from (values ${rowValues})`;
  return `insert or fail into ${table} (${quotedColumns}) select ${expressions}${valuesClause}`;
}

function repeated(sql: string, count: number): string {
  return new Array(count).fill(sql).join(', ');
}
