import type { RecordStore } from '../../../core/port/records.ts';
import type { SqlPageQuery } from '../../shared/records/pages.ts';
import { createRecordStore } from '../../shared/records/records.ts';
import type { Database } from '../connection/database.ts';
import { runStatement } from '../registry/statements.ts';
import { createEntityNumbers } from './entity-numbers.ts';
import { writeImport } from './imports.ts';
import { pageDialect } from './pages.ts';

/** `changeCounter` is that of records. */
export function createPostgresRecords(
  database: Database,
  changeCounter: RecordStore['changeCounter'],
): RecordStore {
  const lane = database.lane('reads');
  const entityNumbers = createEntityNumbers(database);
  return createRecordStore({
    dialect: pageDialect,
    run: (work) => runStatement(work()),
    async first<Row>({ sql, values }: SqlPageQuery) {
      const [row] = await lane.query<Row>(sql(), values);
      return row;
    },
    rows: (statement, values) => lane.query(statement, values),
    find: entityNumbers.find,
    changeCounter,
    import: (request) => writeImport(database, entityNumbers, request),
  });
}
