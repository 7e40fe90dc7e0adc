import { resources } from '../../src/resources/index.ts';
import { outbox, recordEntities, tableName, toTable } from '../../src/store/sqlite/records/tables.ts';

/** Every table of the records database, for the migrations' generator: one a declared resource, their entities, and the outbox. */
module.exports = {
  outbox,
  recordEntities,
  ...Object.fromEntries(resources.map((resource) => [tableName(resource), toTable(resource)])),
};
