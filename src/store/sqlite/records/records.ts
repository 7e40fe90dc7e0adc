import { lazy, memoizeBy } from '../../../core/memoize.ts';
import type { RecordStore } from '../../../core/port/records.ts';
import type { SqlPageQuery } from '../../shared/records/pages.ts';
import { createRecordStore, type RecordEngine } from '../../shared/records/records.ts';
import type { Connection, Statement } from '../../sqlite-file/driver.ts';
import { translating } from '../../sqlite-file/errors.ts';
import { runStatement } from '../registry/statements.ts';
import { createTextQuery, pageDialect, toParameters } from './pages.ts';

/** Number of statements kept prepared; requests come in few shapes. */
const maxKeptStatements = 500;

/** `ownChanges` counts the changes by this connection, with which `data_version` does not change. */
export function createSqliteRecords(
  connection: () => Connection,
  storePath: string,
  ownChanges: () => number,
  importRecords: RecordEngine['import'],
): RecordStore {
  const translated = <T>(operation: () => T): T => translating(storePath, operation);
  const query = lazy(() => createTextQuery(connection(), translated));
  const selectOtherChanges = lazy(() => connection().prepare('PRAGMA data_version').pluck());
  const statementFor = memoizeBy<Statement>(maxKeptStatements);

  return createRecordStore({
    dialect: pageDialect,
    run: (work) => runStatement(work()),
    first: <Row>({ shape, sql, values }: SqlPageQuery) =>
      translated(() => {
        const pageStatement = statementFor(shape, () => connection().prepare(sql()));
        return pageStatement.get(toParameters(values)) as Row | undefined; // the columns that the SQL names
      }),
    rows: (sql, values) => query()(sql, values),
    find: (entityId) => entityId,
    changeCounter: () =>
      translated(() => {
        const otherChanges = Number(selectOtherChanges().get());
        return otherChanges + ownChanges();
      }),
    import: importRecords,
  });
}
