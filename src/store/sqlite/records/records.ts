import { lazily } from '../../../core/lazily.ts';
import type { RecordCondition, RecordPageRequest, RecordStore } from '../../../core/port/records.ts';
import { allFields, type ResourceDefinition } from '../../../core/records/fields.ts';
import { fewRecords, fittingRecords, type PageRow, shownLists, toPage } from '../../../core/records/page-rows.ts';
import { rareCandidates } from '../../records/pages.ts';
import { indexName, tableName } from '../../records/tables.ts';
import type { Connection, Statement } from '../connection/driver.ts';
import { translating } from '../connection/errors.ts';
import { createChangesReader } from './changes.ts';
import { bound, type PageQuery, pageQuery } from './pages.ts';
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
  const changes = createChangesReader(connection);
  const version = lazily(() => connection().prepare('PRAGMA data_version').pluck());
  const pages = new Map<string, Statement<PageRow>>();
  const records = new Map<string, Statement<string>>();
  const counts = new Map<string, Statement<number>>();

  const countStatement = (resource: ResourceDefinition, field: string): Statement<number> => {
    const index = indexName(resource, field);
    let statement = counts.get(index);
    if (!statement) {
      const sql = `select count(*) from (select 1 from ${tableName(resource)} indexed by "${index}"
        where entity = ${entityNumber} and "${field}" = ? limit ${fewRecords + 1})`;
      statement = connection().prepare<unknown[], number>(sql).pluck() as Statement<number>; // pluck gives the only column
      counts.set(index, statement);
    }
    return statement;
  };

  /** The field of several conditions whose value few records have, so that a page need not walk past all others. */
  const rareField = (request: RecordPageRequest): string | undefined => {
    const countOf = ({ field, value }: RecordCondition) =>
      Number(countStatement(request.resource, field).get(request.entityId, bound(value)));
    return rareCandidates(request).find((condition) => countOf(condition) <= fewRecords)?.field;
  };

  const pageStatement = ({ shape, sql }: PageQuery): Statement<PageRow> => {
    let statement = pages.get(shape);
    if (!statement) {
      if (pages.size >= keptStatements) pages.clear();
      statement = connection().prepare<unknown[], PageRow>(sql());
      pages.set(shape, statement);
    }
    return statement;
  };

  const recordStatement = (resource: ResourceDefinition): Statement<string> => {
    let statement = records.get(resource.name);
    if (!statement) {
      const sql = `select ${jsonOf(allFields(resource))} from ${tableName(resource)} where entity = ${entityNumber} and id = ?`;
      statement = connection().prepare<unknown[], string>(sql).pluck() as Statement<string>; // pluck gives the only column
      records.set(resource.name, statement);
    }
    return statement;
  };

  return {
    version: () => translating(path, () => Number(version().get()) + ownChanges()),
    get: (resource, entityId, id) => translating(path, () => recordStatement(resource).get(entityId, id)),
    page: (request) =>
      translating(path, () => {
        const rare = rareField(request);
        const rowOf = (query: PageQuery) => pageStatement(query).get(...query.values);
        const lists = shownLists(request);
        const limit =
          lists.length === 0 ? request.limit : fittingRecords(rowOf(pageQuery(request, rare, lists)), request.limit);
        const fitting = { ...request, limit };
        return toPage(rowOf(pageQuery(fitting, rare)), fitting);
      }),
    changes: (resource, entityId) => translating(path, () => changes.changes(resource, entityId)),
    removed: (request) => translating(path, () => changes.removed(request)),
    import: importRecords,
  };
}
