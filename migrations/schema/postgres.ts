import { resources } from '../../src/resources/index.ts';
import { heartbeats, readings, series } from '../../src/store/postgres/readings/tables.ts';
import { recordEntities, tableName, toTable } from '../../src/store/postgres/records/tables.ts';
import * as registry from '../../src/store/postgres/registry/tables.ts';

/** The tables of a store on PostgreSQL, for drizzle-kit: the registry, one for each declared resource, and readings. */
module.exports = {
  ...registry,
  recordEntities,
  series,
  readings,
  heartbeats,
  ...Object.fromEntries(resources.map((resource) => [tableName(resource), toTable(resource)])),
};
