import type { ResourceDefinition } from '../../../core/fields/fields.ts';
import type { RemovedPageRequest } from '../../../core/port/records.ts';
import { readChanges, readRemoved } from '../../records/changes.ts';
import type { ImportSession } from '../../records/import-session.ts';
import { tableName } from '../../records/tables.ts';
import type { Connection } from '../../sqlite-database/driver.ts';

const entityNumber = '(select number from record_entities where entity_id = $1)';

/**
 * Before the first import into a store that was migrated, the index of the records shows the last change: nothing can have
 * been removed since.
 */
export function changesOf(rows: ImportSession['rows'], resource: ResourceDefinition, entityId: string) {
  const last = `select updated_at from ${tableName(resource)} where entity = ${entityNumber} order by updated_at desc limit 1`;
  return readChanges(rows, resource, entityId, entityNumber, `(${last}), ''`);
}

export function removedOf(rows: ImportSession['rows'], request: RemovedPageRequest) {
  return readRemoved(rows, request, request.entityId, entityNumber);
}

/** Ends the sync tokens that were issued up to now. */
export function drawEpoch(connection: Connection): void {
  connection.exec('delete from record_epoch; insert into record_epoch (epoch) values (lower(hex(randomblob(6))))');
}
