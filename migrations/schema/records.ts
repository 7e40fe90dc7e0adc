import { resources } from '../../src/resources/index.ts';
import { outbox, recordEntities, tableName, toTable } from '../../src/store/sqlite/records/tables.ts';

/** The tables of the records database, for drizzle-kit: one for each declared resource, their entities, and the outbox. */
module.exports = {
  outbox,
  recordEntities,
  ...Object.fromEntries(resources.map((resource) => [tableName(resource), toTable(resource)])),
};
