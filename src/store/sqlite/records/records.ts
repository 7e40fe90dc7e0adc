import { allFields, type ResourceDefinition } from '../../../core/fields/fields.ts';
import { createKept, lazily } from '../../../core/lazily.ts';
import type { RecordCondition, RecordPageRequest, RecordStore } from '../../../core/port/records.ts';
import { fewRecords, fittingRecords, type PageRow, shownLists, toPage } from '../../../core/records/page-rows.ts';
import type { ImportSession } from '../../records/import-session.ts';
import { pageQuery, rareCandidates } from '../../records/pages.ts';
import { indexName, tableName } from '../../records/tables.ts';
import type { Connection, Statement } from '../../sqlite-database/driver.ts';
import { translating } from '../../sqlite-database/errors.ts';
import { statementsOf } from '../registry/statements.ts';
import { changesOf, removedOf } from './changes.ts';
import { bound, named, pageDialect } from './pages.ts';
import { entityNumber, jsonOf } from './tables.ts';

/** Number of page statements kept prepared; requests come in few shapes. */
const keptStatements = 500;

/**
 * Reads records. SQLite returns a page as one JSON text, made by json_object in the order of the index that serves the page;
 * no row becomes an object here. `ownChanges` counts the changes by this connection, with which `data_version` does not
 * change; both numbers only grow, so that their sum shows both.
 */
export function createRecordStore(
  connection: () => Connection,
  path: string,
  ownChanges: () => number,
  importRecords: RecordStore['import'],
): RecordStore {
  const statements = lazily(() => statementsOf({ connection: connection(), read: (work) => translating(path, work) }));
  const rows: ImportSession['rows'] = (text, values) => statements().query('', text, values);
  const version = lazily(() => connection().prepare('PRAGMA data_version').pluck());
  const pages = createKept<Statement<PageRow>>(keptStatements);
  const records = createKept<Statement<string>>();
  const counts = createKept<Statement<number>>();
  // pluck gives the only column
  const prepare = <Value>(sql: string) => connection().prepare<unknown[], Value>(sql).pluck() as Statement<Value>;

  const countStatement = (resource: ResourceDefinition, field: string): Statement<number> => {
    const index = indexName(resource, field);
    const sql = () => `select count(*) from (select 1 from ${tableName(resource)} indexed by "${index}"
      where entity = ${entityNumber} and "${field}" = ? limit ${fewRecords + 1})`;
    return counts(index, () => prepare(sql()));
  };

  /** The field of several conditions whose value few records have, so that a page need not walk past all others. */
  const rareField = (request: RecordPageRequest): string | undefined => {
    const countOf = ({ field, value }: RecordCondition) =>
      Number(countStatement(request.resource, field).get(request.entityId, bound(value)));
    return rareCandidates(request).find((condition) => countOf(condition) <= fewRecords)?.field;
  };

  const recordSql = (resource: ResourceDefinition) =>
    `select ${jsonOf(allFields(resource))} from ${tableName(resource)} where entity = ${entityNumber} and id = ?`;
  const recordStatement = (resource: ResourceDefinition): Statement<string> =>
    records(resource.name, () => prepare(recordSql(resource)));

  return {
    version: () => translating(path, () => Number(version().get()) + ownChanges()),
    get: (resource, entityId, id) => translating(path, () => recordStatement(resource).get(entityId, id)),
    page: (request) =>
      translating(path, () => {
        const rare = rareField(request);
        const rowOf = (page: RecordPageRequest, sizesOf?: string[]) => {
          const { shape, sql, values } = pageQuery(pageDialect, page, page.entityId, rare, sizesOf);
          return pages(shape, () => connection().prepare<unknown[], PageRow>(sql())).get(named(values));
        };
        const lists = shownLists(request);
        const fitting =
          lists.length === 0 ? request : { ...request, limit: fittingRecords(rowOf(request, lists), request.limit) };
        return toPage(rowOf(fitting), fitting);
      }),
    changes: (resource, entityId) => changesOf(rows, resource, entityId),
    removed: (request) => removedOf(rows, request),
    import: importRecords,
  };
}
