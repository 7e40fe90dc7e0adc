import { resources } from '../../src/resources/index.ts';
import { tableName } from '../../src/store/records/tables.ts';
import {
  outbox,
  recordChanges,
  recordEntities,
  recordEpoch,
  removedRecords,
  toTable,
} from '../../src/store/sqlite/records/tables.ts';

/** The tables of the records database, for drizzle-kit: one for each declared resource, their entities, their changes, and the outbox. */
module.exports = {
  outbox,
  recordEntities,
  recordChanges,
  removedRecords,
  recordEpoch,
  ...Object.fromEntries(resources.map((resource) => [tableName(resource), toTable(resource)])),
};
