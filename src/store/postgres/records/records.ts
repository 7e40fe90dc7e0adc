import { allFields } from '../../../core/fields/fields.ts';
import type { MaybePromise } from '../../../core/port/maybe-promise.ts';
import type { RecordPageRequest, RecordStore } from '../../../core/port/records.ts';
import { fewRecords, fittingRecords, type PageRow, shownLists, toPage } from '../../../core/records/page-rows.ts';
import { readChanges, readRemoved } from '../../records/changes.ts';
import type { ImportSession } from '../../records/import-session.ts';
import { pageQuery, rareCandidates } from '../../records/pages.ts';
import { tableName } from '../../records/tables.ts';
import type { Database } from '../connection/database.ts';
import { EntityNumbers } from './entity-numbers.ts';
import { importRecords } from './imports.ts';
import { countSql, inOrder, pageDialect } from './pages.ts';
import { jsonColumnsOf } from './tables.ts';

/**
 * The records of all resources. PostgreSQL returns a page as one JSON text; no row becomes an object here. `version` changes
 * whenever a record may have changed.
 */
export function createRecordStore(database: Database, version: () => MaybePromise<number>): RecordStore {
  const lane = database.lane(inOrder);
  const numbers = new EntityNumbers(database, lane);
  const rows: ImportSession['rows'] = (text, values) => lane.query(text, values);
  const rowOf = async (request: RecordPageRequest, entity: number, rare: string | undefined, sizesOf?: string[]) => {
    const { sql, values } = pageQuery(pageDialect, request, entity, rare, sizesOf);
    return (await lane.query<PageRow>(sql(), values))[0];
  };

  /** The field of several conditions whose value few records have, so that a page need not walk past all others. */
  const rareField = async (request: RecordPageRequest, entity: number) => {
    const equal = rareCandidates(request);
    if (equal.length === 0) return undefined;
    const values = [entity, ...equal.map(({ value }) => value)];
    const counting = countSql(request.resource, equal, fewRecords + 1);
    const [row] = await lane.query<{ counts: number[] }>(counting, values);
    return equal.find((_, index) => (row?.counts[index] ?? 0) <= fewRecords)?.field;
  };

  return {
    version,
    async get(resource, entityId, id) {
      const entity = await numbers.find(entityId);
      if (entity === undefined || hasNul(id)) return undefined;
      const text = `select row_to_json(r)::text as json from (select ${jsonColumnsOf(allFields(resource))}
        from ${tableName(resource)} where entity = $1 and id = $2) as r`;
      const [row] = await lane.query<{ json: string }>(text, [entity, id]);
      return row?.json;
    },
    async page(request) {
      const entity = await numbers.find(request.entityId);
      const { conditions } = request;
      if (entity === undefined || conditions.some(({ value }) => hasNul(value)))
        return { json: '', count: 0, next: null };
      const rare = await rareField(request, entity);
      const lists = shownLists(request);
      const fitting =
        lists.length === 0
          ? request
          : { ...request, limit: fittingRecords(await rowOf(request, entity, rare, lists), request.limit) };
      return toPage(await rowOf(fitting, entity, rare), fitting);
    },
    changes: async (resource, entityId) => readChanges(rows, resource, (await numbers.find(entityId)) ?? null),
    async removed(request) {
      const entity = await numbers.find(request.entityId);
      return entity === undefined ? { ids: [], next: null } : readRemoved(rows, request, entity);
    },
    import: (request) => importRecords(database, numbers, request),
  };
}

/** PostgreSQL refuses this character in a text; no record has it, since imports refuse control characters. */
function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}
